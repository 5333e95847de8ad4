import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { get } from './deps.ts'
import { FileShown, filesOf } from './files.ts'
import { Message } from './message.ts'
import { recent } from './messages.ts'
import { withoutPlaybook } from './playbook.ts'
import { service, trusted } from './scope.ts'
import { BySessionId, Session, sessionById } from './session.ts'

const IntakeContext = z.object({
  session: Session,
  matter: JsonObject.nullable(),
  messages: z.array(Message),
  files: z.array(FileShown).nullable(),
  memory: JsonObject.nullable(),
  missing: z.array(z.enum(['matter', 'files', 'memory'])).describe('Parts that cannot be had.'),
})

const segment = encodeURIComponent

export const intakeContext = [
  get(
    '/api/v1/internal/sessions/:sessionId/intake-context',
    {
      summary: 'All that is known of a session, to begin an intake with',
      description: 'A part that cannot be had is null, and named in `missing`.',
      guard: service,
      params: BySessionId,
      responses: { 200: IntakeContext },
    },
    async (c, { params }) => {
      const { sql, matter, files, memory } = c.env
      const session = await sessionById(sql, trusted(c.var.caller), params.sessionId)
      const { matter_id, user_id, organization_id } = session
      const headers = {
        'x-organization-id': organization_id,
        'x-user-id': user_id,
        'x-request-id': c.var.requestId,
        traceparent: c.var.traceparent,
      }
      const about = new URLSearchParams(matter_id ? { case_id: matter_id } : {})
      const orNull = <T>(asked: Promise<T>) => asked.catch(() => null)
      const [messages, ofMatter, ofFiles, ofMemory] = await Promise.all([
        recent(sql, session.id, 50),
        matter_id === null
          ? null
          : orNull(
              matter.request(JsonObject, `/api/v1/internal/matters/${segment(matter_id)}`, {
                headers,
              }),
            ),
        orNull(filesOf(sql, files, session, headers)),
        orNull(
          memory.request(
            JsonObject,
            `/api/v1/internal/memory/users/${segment(user_id)}/context?${about}`,
            { headers },
          ),
        ),
      ])
      const parts = { matter: ofMatter, files: ofFiles, memory: ofMemory }
      const missing = Object.entries(parts).flatMap(([name, part]) => (part === null ? name : []))
      return ok(c, { session, messages, ...withoutPlaybook(parts), missing })
    },
  ),
]
