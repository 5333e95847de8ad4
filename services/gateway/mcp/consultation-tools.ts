import { acceptedContent, inputRequired, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { Fault, faultFrom, invalid } from '../../_kit/fault.ts'
import { callService, sendAs, type ToolCaller } from './call-service.ts'
import { buildForm, PendingCard, toAnswers } from './card-form.ts'
import { readTurn } from './read-turn.ts'
import { runTool, toResult } from './result.ts'

const sessions = '/api/v1/consultations/sessions'
const service = 'consultations-service'
const Session = z.object({ id: z.uuid() })
const PendingCardResponse = z.object({
  has_pending_card: z.boolean(),
  card: PendingCard.nullish(),
})

/** Tools of a consultation: start it, continue it, and answer the card that it waits for. */
export function registerConsultationTools(server: McpServer, caller: ToolCaller) {
  /** Sends a turn and returns its reply. The reply names a card that waits for answers. */
  async function runTurn(sessionId: string, action: 'chat' | 'resume', body: object) {
    const path = `${sessions}/${sessionId}/${action}`
    const response = await sendAs(caller, service, path, body)
    if (!response.ok) {
      const { code, message, data } = (await response.json()) as Record<string, unknown>
      throw faultFrom(response.status, String(code), String(message), data)
    }
    const { output, card, error } = await readTurn(response)
    return toResult({
      session_id: sessionId,
      output,
      pending_card: card ?? null,
      ...(error !== undefined && { error }),
      ...(card !== undefined && { next: 'Call answer_card with this session_id.' }),
    })
  }

  server.registerTool(
    'start_consultation',
    {
      title: 'Start a consultation',
      description: 'Starts a consultation with a first message and returns the reply.',
      inputSchema: z.object({
        message: z.string().min(1).max(20_000),
        title: z.string().max(200).optional(),
      }),
    },
    ({ message, title }) =>
      runTool(async () => {
        const session = Session.parse(await callService(caller, service, sessions, { title }))
        return runTurn(session.id, 'chat', { content: message })
      }),
  )

  server.registerTool(
    'send_message',
    {
      title: 'Send a message',
      description: 'Sends a message to a consultation and returns the reply.',
      inputSchema: z.object({
        session_id: z.uuid(),
        message: z.string().min(1).max(20_000),
        client_message_id: z
          .string()
          .max(200)
          .optional()
          .describe('A repeated id returns the first reply.'),
      }),
    },
    ({ session_id, message, client_message_id }) =>
      runTool(() => runTurn(session_id, 'chat', { content: message, client_message_id })),
  )

  server.registerTool(
    'answer_card',
    {
      title: 'Answer the pending card',
      description:
        'Asks the person the questions of the pending card and continues the consultation. A client without elicitation sends card_id and the answers by field_key.',
      inputSchema: z.object({
        session_id: z.uuid(),
        card_id: z
          .string()
          .max(200)
          .optional()
          .describe('Card that the answers belong to. Required with answers.'),
        answers: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Answers by field_key. null: the person does not know.'),
      }),
    },
    ({ session_id, card_id, answers }, context) =>
      runTool(async () => {
        if (answers && card_id === undefined) {
          throw invalid([{ path: 'card_id', message: 'Required with answers. See pending_card.' }])
        }
        const { card } = PendingCardResponse.parse(
          await callService(caller, service, `${sessions}/${session_id}/pending_card`),
        )
        if (!card) throw new Fault('CONFLICT', 'No card is pending.', { code: 'NO_PENDING_CARD' })
        if (card_id !== undefined && card_id !== card.card_id) {
          throw new Fault('CONFLICT', `Another card is pending: ${card.card_id}.`)
        }
        // The key binds the answers to the card that was shown: those of an earlier card do not count.
        const key = `card_${card.card_id}`
        const content = answers ?? acceptedContent(context.mcpReq.inputResponses, key)
        if (content === undefined) {
          return inputRequired({
            inputRequests: {
              [key]: inputRequired.elicit({
                message: card.title ?? 'The consultation needs some answers.',
                requestedSchema: buildForm(card),
              }),
            },
          })
        }
        return runTurn(session_id, 'resume', {
          card_id: card.card_id,
          user_response: { answers: toAnswers(card, content) },
        })
      }),
  )
}
