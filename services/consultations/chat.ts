import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
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
import { ById, BySessionId, FileIds, loadSession } from './session.ts'
import { startOrJoinTurn } from './turn/run-turn.ts'

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
  body: bodySchema(Chat),
  example: { content: '我借给张三10万元，他到期不还。', client_message_id: 'c-1' },
  faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'] as const,
}

export const chat = [
  post(
    '/api/v1/consultations/sessions/:id/chat',
    {
      summary: 'Say something, and read the answer as it comes',
      guard: userGuard,
      params: ById,
      query: Identity,
      ...spec,
      responses: { 200: eventStream },
    },
    async (c, { params, query, body }) =>
      streamTurn(c, await startChat(c, visibleToUser(personOf(c, query)), params.id, body)),
  ),

  post(
    '/api/v1/internal/sessions/:sessionId/messages/user-and-chat',
    {
      summary: 'Say something, and wait for the answer',
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
          await startChat(c, visibleToService(c.var.caller), params.sessionId, body),
        ),
      ),
  ),
]

/** The turn that this begins or joins. */
async function startChat(c: Context<Env<Deps>>, scope: Scope, id: string, body: Chat) {
  const session = await loadSession(c.env.sql, scope, id)
  const file_ids = [...new Set(body.file_ids)]
  const { turn_id } = await startOrJoinTurn(c.env, session.id, {
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
