import * as z from 'zod'
import { FileIds } from './session.ts'
import { ClientMessageId, turnEndpoints } from './turn-endpoints.ts'

const Chat = z.object({
  content: z.string().min(1).max(20_000).regex(/\S/, 'Must contain a visible character.'),
  file_ids: FileIds.default([]),
  client_message_id: ClientMessageId,
})

export const chat = turnEndpoints({
  stream: {
    path: '/api/v1/consultations/sessions/:id/chat',
    summary: 'Send a message and stream the reply',
  },
  wait: {
    path: '/api/v1/internal/sessions/:sessionId/messages/user-and-chat',
    summary: 'Send a message and wait for the reply',
  },
  description:
    'The message is stored before the turn starts. While another turn runs: 409 TURN_IN_PROGRESS. While a card is pending: 409 CARD_PENDING with the card. If matter-service or ai-engine is unavailable before the turn has started: 503; the same client_message_id continues the turn.',
  body: Chat,
  example: { content: '我借给张三10万元，他到期不还。', client_message_id: 'c-1' },
  async buildContent(_c, _session, { content, file_ids: named }) {
    const file_ids = [...new Set(named)]
    return {
      request: { kind: 'chat', message: content, file_ids },
      content,
      written: content,
      file_ids,
      metadata: {},
    }
  },
})
