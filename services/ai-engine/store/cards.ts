import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { Id, Json } from '../../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { type Answer, checkAnswers } from '../answers.ts'
import { Card } from '../card.ts'
import type { Lease } from './lease.ts'
import { assignRun, insertRun, type NewRun, type RequestOrigin } from './start-run.ts'

const StoredCard = z.object({
  card_id: Id,
  skill: z.string(),
  card: Card,
  basis: Json,
  hash: z.string(),
  status: z.enum(['pending', 'answered', 'withdrawn']),
  answers_hash: z.string().nullable(),
  resumed_run_id: Id.nullable(),
})
export type StoredCard = z.infer<typeof StoredCard>

/** How a run goes on from the answers to a card, by field_key. */
export type BuildInput = (
  card: StoredCard,
  answers: Record<string, unknown>,
) => Omit<NewRun, 'origin'>

/** What the person saw: the card and what it rests on. */
export const hashCard = (card: Card, basis: unknown) =>
  sha256Hex(canonicalJson({ card, basis: basis ?? null }))

export interface CardResponse {
  thread_id: string
  user_id: string | null
  card_id: string | undefined
  answers: Answer[]
  origin: RequestOrigin
}

/** A run that an answer began, just now or before. */
export type ResumedRun = { lease: Lease } | { run_id: string }

/**
 * Claims the pending card for these answers and starts the run that they continue, in one statement.
 * The same answers again lead to the run they began; others to a card that has its answer are refused.
 */
export async function startResume(
  sql: Sql,
  organization: string | undefined,
  response: CardResponse,
  buildInput: BuildInput,
): Promise<ResumedRun> {
  const answersHash = await sha256Hex(canonicalJson(response.answers))
  for (;;) {
    const { pending, stored } = await loadCards(sql, organization, response)
    if (!stored || stored.card_id !== pending) {
      if (stored?.status === 'answered' && stored.answers_hash === answersHash)
        return { run_id: stored.resumed_run_id! }
      throw resumeRefusal(stored, pending, response.card_id)
    }
    const accepted = checkAnswers(stored.card, response.answers)
    if ((await hashCard(stored.card, stored.basis)) !== stored.hash) {
      throw new Fault('CONFLICT', 'The card is not what the person saw; ask again.')
    }
    const newRun = { ...buildInput(stored, accepted), origin: response.origin }
    const lease = await claim(sql, response, stored, answersHash, newRun)
    if (lease) return { lease }
    // Somebody was faster; what to make of it is seen when one looks again.
  }
}

const ThreadCards = z.object({
  organization_id: z.string(),
  pending: Id.nullable(),
  stored: StoredCard.nullable(),
})

/** The card that waits, and the card that is meant: the one named, else the pending, else the last answered. */
async function loadCards(sql: Sql, organization: string | undefined, response: CardResponse) {
  const requested = response.card_id ?? null
  const thread = await sql.row(ThreadCards)`
    select t.organization_id, t.card_id as pending, (
      select to_jsonb(k) from (
        select card_id, skill, card, basis, hash, status, answers_hash, resumed_run_id
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

/** Takes the thread on condition that this card still waits there; undefined when it does not. */
function claim(
  sql: Sql,
  { thread_id, user_id, answers }: CardResponse,
  { card_id }: StoredCard,
  answersHash: string,
  newRun: NewRun,
) {
  const updateThread = fragment`
    update ai_engine.threads t set ${assignRun(newId(), newRun)},
      user_id = coalesce(${user_id}, t.user_id)
    where thread_id = ${thread_id} and status = 'interrupted' and card_id = ${card_id}
    returning *`
  const updateCard = fragment`,
    answered as (
      update ai_engine.cards set status = 'answered', answers = ${json(answers)},
        answers_hash = ${answersHash}, answered_by = ${user_id}, answered_at = now(),
        resumed_run_id = r.run_id
      from r where card_id = ${card_id}::uuid)`
  return insertRun(sql, newRun, null, updateThread, updateCard)
}

function resumeRefusal(
  stored: StoredCard | null,
  pending: string | null,
  requested: string | undefined,
): Fault {
  if (requested !== undefined && stored?.status === 'answered') {
    return new Fault('CONFLICT', 'This card was answered before, with other answers.', {
      code: 'CARD_ANSWERED',
    })
  }
  if (pending !== null) {
    return new Fault('CONFLICT', 'Another card than this one waits for an answer.', {
      code: 'OTHER_CARD_PENDING',
      data: { card_id: pending },
    })
  }
  return new Fault('CONFLICT', 'No card waits for an answer.', { code: 'NO_PENDING_CARD' })
}
