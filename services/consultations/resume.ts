import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { ExternalId, Json } from '../_kit/fields.ts'
import { fileIdsIn, formatAnswers } from './answer-text.ts'
import { ClientMessageId } from './chat.ts'
import { type Deps, post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { eventStream, streamTurn, TurnResult, waitForTurn } from './respond.ts'
import {
  Identity,
  personOf,
  type Scope,
  serviceGuard,
  userGuard,
  visibleToService,
  visibleToUser,
} from './scope.ts'
import { ById, BySessionId, loadSession, type Session, sessionArchived } from './session.ts'
import { type Card, loadPendingCard } from './turn/engine.ts'
import { startOrJoinTurn, turnInProgress } from './turn/run-turn.ts'

const Answer = z.object({ field_key: z.string().min(1).max(300), value: Json })

const Resume = z.object({
  user_id: ExternalId.optional(),
  user_response: z.object({ answers: z.array(Answer).max(100) }),
  card_id: z.string().max(200).optional().describe('The card that is answered, where it is known.'),
  client_message_id: ClientMessageId,
})
type Resume = z.output<typeof Resume>

const spec = {
  description:
    'None pending: 409 NO_PENDING_CARD. A missing required answer, an unknown field_key or a value of the wrong type: 400 before anything runs. A file is answered by a list of fileIds, a date as YYYY-MM-DD, money as a number.',
  body: bodySchema(Resume),
  example: {
    user_id: 7,
    user_response: { answers: [{ field_key: 'intake_collection.amount', value: 100_000 }] },
  },
  faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'] as const,
}

export const resume = [
  post(
    '/api/v1/consultations/sessions/:id/resume',
    {
      summary: 'Answer the pending card, and read on',
      guard: userGuard,
      params: ById,
      query: Identity,
      ...spec,
      responses: { 200: eventStream },
    },
    async (c, { params, query, body }) => {
      const user = personOf(c, query, body.user_id)
      if (body.user_id !== undefined && body.user_id !== user.userId) {
        throw invalid([{ path: 'user_id', message: 'Contradicts the header X-User-Id.' }])
      }
      return streamTurn(c, await startResume(c, visibleToUser(user), params.id, body))
    },
  ),

  post(
    '/api/v1/internal/sessions/:sessionId/resume',
    {
      summary: 'Answer the pending card, and wait for what follows',
      guard: serviceGuard,
      params: BySessionId,
      ...spec,
      responses: { 200: TurnResult },
    },
    async (c, { params, body }) =>
      ok(
        c,
        await waitForTurn(
          c,
          await startResume(c, visibleToService(c.var.caller), params.sessionId, body),
        ),
      ),
  ),
]

/** The turn that these answers begin, or began. */
async function startResume(c: Context<Env<Deps>>, scope: Scope, id: string, body: Resume) {
  const { sql } = c.env
  const session = await loadSession(sql, scope, id)
  if (session.status === 'ARCHIVED') throw sessionArchived()
  const { answers } = body.user_response
  const card = await loadAnsweredCard(c, session, body.client_message_id)
  const { turn_id } = await startOrJoinTurn(c.env, id, {
    request: {
      kind: 'resume',
      card_id: body.card_id ?? card.card_id,
      answers: answers.map(({ field_key, value = null }) => ({ field_key, value })),
    },
    content: formatAnswers(card, answers),
    file_ids: fileIdsIn(card, answers),
    metadata: { card_id: card.card_id, answers },
    client_message_id: body.client_message_id,
    request_id: c.var.requestId,
    traceparent: c.var.traceparent,
  })
  return turn_id
}

const EarlierResume = z.object({ card_id: z.string() })
const SessionBusy = z.object({ busy: z.boolean() })

/** The card that is answered: the pending one, or that of the same request before. */
async function loadAnsweredCard(
  c: Context<Env<Deps>>,
  { id, thread_id, organization_id }: Session,
  client_message_id: string | undefined,
): Promise<Pick<Card, 'card_id' | 'questions'>> {
  const { sql, engine } = c.env
  const before =
    client_message_id !== undefined &&
    (await sql.row(EarlierResume)`
      select request->>'card_id' as card_id from consultations.turns
      where session_id = ${id} and client_message_id = ${client_message_id} and kind = 'resume'`)
  if (before) return { ...before, questions: [] }
  const { card } = await loadPendingCard(engine, thread_id, {
    'x-organization-id': organization_id,
    'x-request-id': c.var.requestId,
    traceparent: c.var.traceparent,
  })
  if (card) return card
  const now = await sql.row(SessionBusy)`
    select turn_id is not null as busy from consultations.sessions where id = ${id}`
  if (now?.busy) throw turnInProgress()
  throw new Fault('CONFLICT', 'No card waits for an answer.', { code: 'NO_PENDING_CARD' })
}
