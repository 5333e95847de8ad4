import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import type { Client } from '../../_kit/peer.ts'
import { stripPlaybook } from '../playbook.ts'
import { peerHeaders, type RelayTurn, type Turn, turnFileIds } from './turn.ts'

const base = '/api/v1/internal/ai'

/** A card of the engine. Unknown fields are passed on unchanged. */
export const Card = z
  .looseObject({
    card_id: z.string(),
    review_type: z.string(),
    expires_at: z.string().nullish().describe('Time at which `on_expiry` is applied.'),
    on_expiry: z.string().nullish().describe('Action at expiry: default, skip or fail.'),
    assignee: z.string().nullish().describe('User who is to answer the card.'),
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
  const { thread_id, organization_id, request } = turn
  // The engine has started the run of an expired card itself.
  if (request.kind === 'expiry') throw new Fault('INTERNAL', 'An expired card has no request.')
  return engine.stream(paths[request.kind], {
    method: 'POST',
    headers: peerHeaders(turn),
    body: {
      thread_id,
      user_id: turn.author_id,
      organization_id,
      file_ids: turnFileIds(turn),
      ...buildInput(turn, profile),
    },
  })
}

const paths = {
  chat: `${base}/agent/execute/stream`,
  resume: `${base}/agent/resume/stream`,
  skip: `${base}/agent/pending_card/skip`,
}

function buildInput(turn: Turn, profile: unknown) {
  const { request, session_id, matter_id, user_id, user_type } = turn
  switch (request.kind) {
    case 'chat':
      return {
        session_id,
        matter_id,
        message: request.message,
        context: {
          matter_profile: profile,
          // Memory is read for the client of the matter, whoever speaks. The client reads the reply.
          ...(turn.author_id !== user_id && { client_id: user_id, client_type: user_type }),
        },
      }
    case 'resume':
      return { card_id: request.card_id, user_response: { answers: request.answers } }
    default:
      return { card_id: request.card_id }
  }
}

export const Notice = z.object({
  notice_id: z.string(),
  organization_id: z.string(),
  session_id: z.string(),
  kind: z.string(),
  card_id: z.string(),
  run_id: z.string().nullable(),
})
export type Notice = z.infer<typeof Notice>

/** Time limit of requests in the background; takeovers must not wait longer. */
const noticeDeadlineMs = 2_000

/** Loads the notices of card timers that were not acknowledged. */
export const loadNotices = (engine: Client) =>
  engine.request(z.object({ items: z.array(Notice) }), `${base}/agent/notices`, {
    deadlineMs: noticeDeadlineMs,
  })

export const acknowledgeNotices = (engine: Client, notice_ids: string[]) =>
  engine.request(z.object({ acknowledged: z.int() }), `${base}/agent/notices/acknowledge`, {
    method: 'POST',
    body: { notice_ids },
    idempotent: true,
    deadlineMs: noticeDeadlineMs,
  })

const Cancelled = z.object({ cancelled: z.boolean() })

/** Cancels a run because a person stopped it; false when it does not run any more. */
export async function cancelRun(
  engine: Client,
  { thread_id, run_id }: { thread_id: string; run_id: string | null },
  headers: Record<string, string>,
): Promise<boolean> {
  const { cancelled } = await engine.request(Cancelled, `${base}/agent/cancel`, {
    method: 'POST',
    headers,
    body: { thread_id, run_id: run_id ?? undefined, reason: 'stopped' },
    idempotent: true,
  })
  return cancelled
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
