import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import { Id, Json } from '../../_kit/fields.ts'
import { canonical, hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { json, part, type Sql } from '../../_kit/sql/sql.ts'
import { type Answer, checkAnswers } from '../answers.ts'
import { Card } from '../card.ts'
import { type Beginning, type Cause, lockThread, moved, start } from './begin.ts'
import type { Lease } from './lease.ts'

const Kept = z.object({
  card_id: Id,
  skill: z.string(),
  card: Card,
  basis: Json,
  hash: z.string(),
  status: z.enum(['pending', 'answered', 'withdrawn']),
  answers_hash: z.string().nullable(),
  resumed_run_id: Id.nullable(),
})
export type Kept = z.infer<typeof Kept>

/** How a run goes on from the answers to a card, by field_key. */
export type Continue = (card: Kept, answers: Record<string, unknown>) => Omit<Beginning, 'cause'>

/** What the person saw: the card and what it rests on. */
export const hashOf = (card: Card, basis: unknown) => hex(canonical({ card, basis: basis ?? null }))

export interface Response {
  thread_id: string
  user_id: string | null
  card_id: string | undefined
  answers: Answer[]
  cause: Cause
}

/** A run that an answer began, just now or before. */
export type Resumed = { lease: Lease } | { run_id: string }

/**
 * Claims the pending card for these answers and starts the run that they continue, in one transaction.
 * The same answers again lead to the run they began; others to a card that has its answer are refused.
 */
export async function beginResume(
  sql: Sql,
  organization: string | undefined,
  response: Response,
  proceed: Continue,
): Promise<Resumed> {
  const answersHash = await hex(canonical(response.answers))
  return sql.begin(async (sql) => {
    const thread = await lockThread(sql, response.thread_id, organization)
    const kept = await cardFor(sql, thread.thread_id, thread.card_id, response.card_id)
    if (!kept || kept.card_id !== thread.card_id) {
      if (kept?.status === 'answered' && kept.answers_hash === answersHash)
        return { run_id: kept.resumed_run_id! }
      throw refusal(kept, thread.card_id, response.card_id)
    }
    const given = checkAnswers(kept.card, response.answers)
    if ((await hashOf(kept.card, kept.basis)) !== kept.hash) {
      throw new Fault('CONFLICT', 'The card is not what the person saw; ask again.')
    }
    const beginning = { ...proceed(kept, given), cause: response.cause }
    const claim = part`,
      claimed as (
        update ai_engine.cards set status = 'answered', answers = ${json(response.answers)},
          answers_hash = ${answersHash}, answered_by = ${response.user_id}, answered_at = now(),
          resumed_run_id = r.run_id
        from r where card_id = ${kept.card_id}::uuid)`
    const taking = part`
      update ai_engine.threads t set ${moved(newId(), beginning)},
        user_id = coalesce(${response.user_id}, t.user_id)
      where thread_id = ${thread.thread_id} returning *`
    return { lease: (await start(sql, beginning, null, taking, claim))! }
  })
}

/** The card that is meant: the one named, else the pending one, else the last that was answered. */
function cardFor(sql: Sql, thread_id: string, pending: string | null, named: string | undefined) {
  const wanted = named ?? pending
  const condition = wanted === null ? part`status = 'answered'` : part`card_id::text = ${wanted}`
  return sql.row(Kept)`
    select card_id, skill, card, basis, hash, status, answers_hash, resumed_run_id
    from ai_engine.cards where thread_id = ${thread_id} and ${condition}
    order by created_at desc, card_id desc limit 1`
}

function refusal(kept: Kept | undefined, pending: string | null, named: string | undefined): Fault {
  if (named !== undefined && kept?.status === 'answered') {
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
