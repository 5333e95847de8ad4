import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { get } from './deps.ts'
import { loadSessionFiles, SessionFile } from './files.ts'
import { Message } from './message.ts'
import { loadRecentMessages } from './messages.ts'
import { stripPlaybook } from './playbook.ts'
import { serviceGuard, visibleToService } from './scope.ts'
import { BySessionId, loadSession, Session } from './session.ts'

const IntakeContext = z.object({
  session: Session,
  matter: JsonObject.nullable(),
  messages: z.array(Message),
  files: z.array(SessionFile).nullable(),
  memory: JsonObject.nullable(),
  missing: z.array(z.enum(['matter', 'files', 'memory'])).describe('Unavailable parts.'),
})

const segment = encodeURIComponent

export const intakeContext = [
  get(
    '/api/v1/internal/sessions/:sessionId/intake-context',
    {
      summary: 'Get the context of an intake',
      description: 'A part that is unavailable is null and listed in `missing`.',
      guard: serviceGuard,
      params: BySessionId,
      responses: { 200: IntakeContext },
    },
    async (c, { params }) => {
      const { sql, matter, files, memory } = c.env
      const session = await loadSession(sql, visibleToService(c.var.caller), params.sessionId)
      const { matter_id, user_id, organization_id } = session
      const headers = {
        'x-organization-id': organization_id,
        'x-user-id': user_id,
        'x-request-id': c.var.requestId,
        traceparent: c.var.traceparent,
      }
      const memoryQuery = new URLSearchParams(matter_id ? { case_id: matter_id } : {})
      const nullOnFailure = <T>(request: Promise<T>) => request.catch(() => null)
      const [messages, matterPart, filesPart, memoryPart] = await Promise.all([
        loadRecentMessages(sql, session.id, 50),
        matter_id === null
          ? null
          : nullOnFailure(
              matter.request(JsonObject, `/api/v1/internal/matters/${segment(matter_id)}`, {
                headers,
              }),
            ),
        nullOnFailure(loadSessionFiles(sql, files, session, headers)),
        nullOnFailure(
          memory.request(
            JsonObject,
            `/api/v1/internal/memory/users/${segment(user_id)}/context?${memoryQuery}`,
            { headers },
          ),
        ),
      ])
      const parts = { matter: matterPart, files: filesPart, memory: memoryPart }
      const missing = Object.entries(parts).flatMap(([name, part]) => (part === null ? name : []))
      return ok(c, { session, messages, ...stripPlaybook(parts), missing })
    },
  ),
]
