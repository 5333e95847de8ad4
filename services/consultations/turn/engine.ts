import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import type { Client } from '../../_kit/peer.ts'
import { stripPlaybook } from '../playbook.ts'
import { peerHeaders, type RelayTurn, type Turn } from './turn.ts'

const base = '/api/v1/internal/ai'

/** A card of the engine. Unknown fields are passed on unchanged. */
export const Card = z
  .looseObject({
    card_id: z.string(),
    review_type: z.string(),
    questions: z.array(
      z.looseObject({
        question: z.string(),
        field_key: z.string(),
        input_type: z.string(),
        required: z.boolean(),
      }),
    ),
  })
  .overwrite(stripPlaybook)
  .meta({ id: 'Card' })
export type Card = z.infer<typeof Card>

export const PendingCard = z.object({ has_pending_card: z.boolean(), card: Card.nullable() })

export const loadPendingCard = (
  engine: Client,
  thread_id: string,
  headers: Record<string, string>,
) =>
  engine.request(PendingCard, `${base}/agent/pending_card?${new URLSearchParams({ thread_id })}`, {
    headers,
  })

/** Sends the request of a turn to the engine. Returns the stream of the run. */
export function sendRequest(engine: Client, turn: Turn, profile: unknown): Promise<Response> {
  const { thread_id, session_id, matter_id, user_id, organization_id, request: sendRequest } = turn
  const input =
    sendRequest.kind === 'chat'
      ? { session_id, matter_id, message: sendRequest.message, file_ids: sendRequest.file_ids }
      : { card_id: sendRequest.card_id, user_response: { answers: sendRequest.answers } }
  const operation = sendRequest.kind === 'chat' ? 'execute' : 'resume'
  return engine.stream(`${base}/agent/${operation}/stream`, {
    method: 'POST',
    headers: peerHeaders(turn),
    body: {
      thread_id,
      user_id,
      organization_id,
      ...input,
      ...(sendRequest.kind === 'chat' && { context: { matter_profile: profile } }),
    },
  })
}

/** Opens the stream of a run after an engine event. */
export const followRun = (engine: Client, turn: RelayTurn, run_id: string, after: number) =>
  engine.stream(`${base}/agent/runs/${run_id}/stream?after=${after}`, {
    headers: peerHeaders(turn),
  })

const Rounds = z.object({
  items: z.array(z.object({ run_id: z.string(), user_message: z.string() })),
})

export async function loadNewestRun(engine: Client, turn: Turn) {
  const query = new URLSearchParams({ thread_id: turn.thread_id, size: '1' })
  const { items } = await engine.request(Rounds, `${base}/timeline?${query}`, {
    headers: peerHeaders(turn),
  })
  return items[0]
}

export const isFaultCode = (thrown: unknown, ...codes: string[]) =>
  thrown instanceof Fault && codes.includes(thrown.code)
