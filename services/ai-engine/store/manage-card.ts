import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { Card } from '../card.ts'
import { lockThread } from './start-run.ts'

const CardRow = z.object({ thread_id: z.string(), run_id: z.string(), card: Card })

/** Locks the thread of a pending card. 404 for an unknown card, 409 for a closed one. */
async function lockPending(sql: Sql, card_id: string, organization: string | undefined) {
  const row = await sql.row(CardRow)`
    select thread_id, run_id, card from ai_engine.cards where card_id::text = ${card_id}`
  if (!row) throw notFound('such card')
  const thread = await lockThread(sql, row.thread_id, organization)
  if (thread.status !== 'interrupted' || thread.card_id !== card_id)
    throw new Fault('CONFLICT', 'The card is not pending.', { code: 'NO_PENDING_CARD' })
  return row
}

/** Hands a pending card over to a user. The assignee is not part of what the hash protects. */
export const assignCard = (
  sql: Sql,
  card_id: string,
  organization: string | undefined,
  user_id: string,
) =>
  sql.transaction(async (sql) => {
    const { card, run_id } = await lockPending(sql, card_id, organization)
    const assigned = { ...card, assignee: user_id }
    await sql`update ai_engine.cards set card = ${json(assigned)} where card_id::text = ${card_id}`
    await sql`update ai_engine.runs set card = ${json(assigned)} where run_id = ${run_id}`
    return assigned
  })

/** Withdraws a pending card. The thread becomes idle and accepts the next message. */
export const withdrawCard = (sql: Sql, card_id: string, organization: string | undefined) =>
  sql.transaction(async (sql) => {
    const { thread_id } = await lockPending(sql, card_id, organization)
    await sql`update ai_engine.cards set status = 'withdrawn' where card_id::text = ${card_id}`
    await sql`
      update ai_engine.threads set status = 'idle', card_id = null, updated_at = now()
      where thread_id = ${thread_id}`
    return { thread_id, card_id, withdrawn: true }
  })
