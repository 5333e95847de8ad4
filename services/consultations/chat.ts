import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { type Deps, post } from './deps.ts'
import { taken } from './playbook.ts'
import { events, streamed, Whole, whole } from './respond.ts'
import { Identity, person, personOf, type Scope, seenBy, service, trusted } from './scope.ts'
import { ById, BySessionId, FileIds, sessionById } from './session.ts'
import { takeTurn } from './turn/carry.ts'

export const ClientMessageId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('The same again joins or repeats the turn that it began, and never starts a second.')

const Chat = z.object({
  content: z.string().min(1).max(20_000).regex(/\S/, 'Say something.'),
  file_ids: FileIds.default([]),
  client_message_id: ClientMessageId,
})
type Chat = z.output<typeof Chat>

const spec = {
  description:
    'What was said is kept first. While another turn runs: 409 TURN_IN_PROGRESS; while a card waits: 409 CARD_PENDING with the card. Where matter-service or ai-engine cannot be reached before the turn has begun: 503; the same client_message_id again continues it.',
  body: taken(Chat),
  example: { content: '我借给张三10万元，他到期不还。', client_message_id: 'c-1' },
  faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'] as const,
}

export const chat = [
  post(
    '/api/v1/consultations/sessions/:id/chat',
    {
      summary: 'Say something, and read the answer as it comes',
      guard: person,
      params: ById,
      query: Identity,
      ...spec,
      responses: { 200: events },
    },
    async (c, { params, query, body }) =>
      streamed(c, await begun(c, seenBy(personOf(c, query)), params.id, body)),
  ),

  post(
    '/api/v1/internal/sessions/:sessionId/messages/user-and-chat',
    {
      summary: 'Say something, and wait for the answer',
      guard: service,
      params: BySessionId,
      ...spec,
      responses: { 200: Whole },
    },
    async (c, { params, body }) =>
      ok(c, await whole(c, await begun(c, trusted(c.var.caller), params.sessionId, body))),
  ),
]

/** The turn that this begins or joins. */
async function begun(c: Context<Env<Deps>>, scope: Scope, id: string, body: Chat) {
  const session = await sessionById(c.env.sql, scope, id)
  const file_ids = [...new Set(body.file_ids)]
  const { turn_id } = await takeTurn(c.env, session.id, {
    request: { kind: 'chat', message: body.content, file_ids },
    content: body.content,
    file_ids,
    metadata: {},
    client_message_id: body.client_message_id,
    request_id: c.var.requestId,
    traceparent: c.var.traceparent,
  })
  return turn_id
}
