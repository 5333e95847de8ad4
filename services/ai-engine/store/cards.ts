import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { Id, Json } from '../../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import type { Answer } from '../answers.ts'
import { Card } from '../card.ts'
import { assignRun, insertRun, type NewRun, type RequestOrigin } from './start-run.ts'

const StoredCard = z.object({
  card_id: Id,
  thread_id: z.string(),
  skill: z.string(),
  card: Card,
  basis: Json,
  hash: z.string(),
  skippable: z.boolean(),
  on_expiry: z.enum(['default', 'skip', 'fail']).nullable(),
  graph_version: z.string(),
  skill_version: z.string(),
  status: z.enum(['pending', 'queued', 'answered', 'skipped', 'expired', 'withdrawn']),
  answers_hash: z.string().nullable(),
  resumed_run_id: Id.nullable(),
})
export type StoredCard = z.infer<typeof StoredCard>

/** Builds the input of the run that continues after a card. `answers` are by field_key. */
export type BuildInput = (
  card: StoredCard,
  answers: Record<string, unknown>,
  skipped: boolean,
  /** Head of the thread, from which the state can be loaded. */
  head: number,
) => Promise<Omit<NewRun, 'origin'>>

/** Identifies what a person saw: the card and its basis. The assignee may change. */
export const hashCard = ({ assignee: _, ...card }: Card, basis: unknown) =>
  sha256Hex(canonicalJson({ card, basis: basis ?? null }))

/** A request that continues a thread after its pending card. */
export interface CardResponse {
  thread_id: string
  user_id: string | null
  /** User type of the person who answers; null without a person. */
  user_type?: string | null
  /** Default: the pending card. */
  card_id: string | undefined
  origin: RequestOrigin
}

const ThreadCards = z.object({
  organization_id: z.string(),
  head: z.int(),
  pending: Id.nullable(),
  stored: StoredCard.nullable(),
})

/** Loads the pending card id and the requested card: the given one, else the pending, else the last answered. */
export async function loadCards(
  sql: Sql,
  organization: string | undefined,
  response: Pick<CardResponse, 'thread_id' | 'card_id'>,
) {
  const requested = response.card_id ?? null
  const thread = await sql.row(ThreadCards)`
    select t.organization_id, t.head, t.card_id as pending, (
      select to_jsonb(k) from (
        select card_id, thread_id, skill, card, basis, hash, skippable, on_expiry, graph_version, skill_version,
          status, answers_hash, resumed_run_id
        from ai_engine.cards c
        where c.thread_id = t.thread_id and case
          when ${requested}::text is not null then c.card_id::text = ${requested}
          when t.card_id is not null then c.card_id = t.card_id
          else c.status = 'answered' end
        order by c.created_at desc, c.card_id desc limit 1) k) as stored
    from ai_engine.threads t where t.thread_id = ${response.thread_id}`
  if (!thread || (organization !== undefined && thread.organization_id !== organization)) {
    throw notFound('such thread')
  }
  return thread
}

/** How a card was closed. */
export interface Closing {
  status: 'answered' | 'skipped' | 'expired'
  answers: Answer[]
  answersHash: string | null
}

/**
 * Closes the pending card and starts the run that continues after it, in one statement. Returns
 * undefined if the card is not pending any more.
 */
export function claimCard(
  sql: Sql,
  { thread_id, user_id, user_type = null }: CardResponse,
  { card_id }: StoredCard,
  { status, answers, answersHash }: Closing,
  newRun: NewRun,
  extraClauses = fragment``,
) {
  const updateThread = fragment`
    update ai_engine.threads t set ${assignRun(newId(), newRun)},
      client_id = coalesce(t.client_id, t.user_id),
      client_type = case when t.client_id is null then t.user_type else t.client_type end,
      user_id = coalesce(${user_id}, t.user_id),
      user_type = case when ${user_id}::text is null then t.user_type else ${user_type}::text end
    where thread_id = ${thread_id} and status = 'interrupted' and card_id = ${card_id}
    returning *`
  const updateCard = fragment`,
    closed as (
      update ai_engine.cards set status = ${status}, answers = ${json(answers)},
        answers_hash = ${answersHash}, answered_by = ${user_id}, answered_at = now(),
        resumed_run_id = r.run_id
      from r where card_id = ${card_id}::uuid)${extraClauses}`
  return insertRun(sql, newRun, null, updateThread, updateCard)
}

/** User types that manage matters: they may answer cards that are assigned to others. */
const managers = new Set(['lawyer', 'firm_admin', 'operator'])

/** Refuses an answer to a card that is assigned to another user. A caller without a user is a service. */
export function assertMayAnswer({ card }: StoredCard, { user_id, user_type }: CardResponse) {
  if (card.assignee === undefined || user_id === null || user_id === card.assignee) return
  if (!managers.has(user_type ?? ''))
    throw new Fault('FORBIDDEN', 'The card is assigned to another user.', {
      code: 'CARD_ASSIGNED',
    })
}

export const noPendingCard = () =>
  new Fault('CONFLICT', 'The thread has no pending card.', { code: 'NO_PENDING_CARD' })
