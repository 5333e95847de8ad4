import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { Card } from '../card.ts'
import { hashCard } from './cards.ts'
import { Lease, leaseColumns, leaseUntil } from './lease.ts'
import type { RequestOrigin } from './start-run.ts'
import { loadState } from './state.ts'

interface BranchRequest {
  thread_id: string
  checkpoint_id: string
  sync: boolean
  organization: string | undefined
  origin: RequestOrigin
}

const CheckpointRow = z.object({
  step: z.int(),
  node: z.string(),
  next: z.string().nullable(),
  organization_id: z.string(),
  user_message: z.string(),
  graph_version: z.string(),
})
type CheckpointRow = z.infer<typeof CheckpointRow>

const CardRow = z.object({
  card: Card,
  skill: z.string(),
  skippable: z.boolean(),
  graph_version: z.string(),
  skill_version: z.string(),
  basis: z.unknown(),
})
type CardRow = z.infer<typeof CardRow>

/**
 * Creates a thread that continues from the state after a checkpoint. At a checkpoint where the run ended
 * with a card, the branch waits on a copy of the card.
 */
export async function branch(
  sql: Sql,
  request: BranchRequest,
): Promise<{ run_id: string; lease?: Lease }> {
  const checkpoint = await loadCheckpoint(sql, request)
  const state = JSON.stringify(await loadState(sql, request.thread_id, checkpoint.step))
  const cardRow =
    checkpoint.next === null ? await loadCardAt(sql, request.thread_id, checkpoint) : undefined
  if (checkpoint.next === null && !cardRow) {
    throw new Fault('CONFLICT', 'The run ended at this checkpoint. Choose an earlier checkpoint.')
  }
  return sql.transaction(async (sql) => {
    const lease = await insertBranch(sql, request, checkpoint, state)
    if (!cardRow) return { run_id: lease.run_id, lease }
    await reissueCard(sql, lease, cardRow)
    return { run_id: lease.run_id }
  })
}

async function loadCheckpoint(
  sql: Sql,
  { thread_id, checkpoint_id, organization }: BranchRequest,
): Promise<CheckpointRow> {
  const checkpoint = await sql.row(CheckpointRow)`
    select p.step, p.node, p.next, t.organization_id, r.user_message, r.graph_version
    from ai_engine.checkpoints p
    join ai_engine.threads t on t.thread_id = p.thread_id
    join ai_engine.runs r on r.run_id = p.run_id
    where p.thread_id = ${thread_id} and p.checkpoint_id::text = ${checkpoint_id}`
  if (!checkpoint || (organization !== undefined && checkpoint.organization_id !== organization))
    throw notFound('such checkpoint')
  return checkpoint
}

const loadCardAt = (sql: Sql, thread_id: string, { step }: CheckpointRow) => sql.row(CardRow)`
  select c.card, c.skill, c.skippable, c.graph_version, c.skill_version, c.basis from ai_engine.cards c
  join ai_engine.checkpoints p on p.run_id = c.run_id and p.thread_id = c.thread_id
  where p.thread_id = ${thread_id} and p.step = ${step}`

async function insertBranch(
  sql: Sql,
  request: BranchRequest,
  checkpoint: CheckpointRow,
  state: string,
): Promise<Lease> {
  const [run_id, thread_id] = [newId(), `branch:${newId()}`]
  const next = checkpoint.next ?? ''
  const [lease] = await sql.rows(Lease)`
    with t as (
      insert into ai_engine.threads (thread_id, organization_id, user_id, user_type, client_id, client_type,
        session_id, matter_id, branch_of, branch_step, sync, status, run_id, rounds, head, next, base, base_bytes,
        lease_token, lease_until)
      select ${thread_id}, organization_id, user_id, user_type, client_id, client_type, session_id, matter_id, thread_id,
        ${checkpoint.step}::int, ${request.sync}::boolean, 'running', ${run_id}::uuid, 1,
        ${checkpoint.step}::int, ${next}::text, ${checkpoint.step}::int, ${state.length}::int, 1, ${leaseUntil()}
      from ai_engine.threads where thread_id = ${request.thread_id} returning *),
    r as (
      insert into ai_engine.runs (run_id, thread_id, organization_id, user_id, session_id, matter_id,
        round, graph_version, kind, trace_id, request_id, traceparent, user_message, first_step)
      select run_id, thread_id, organization_id, user_id, session_id, matter_id, 1,
        ${checkpoint.graph_version}::text, 'replay',
        ${newId()}::uuid, ${request.origin.request_id}::text, ${request.origin.traceparent}::text,
        ${checkpoint.user_message}::text, head
      from t returning *),
    c as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta, snapshot)
      select thread_id, head, ${newId()}::uuid, run_id, ${checkpoint.node}::text, ${checkpoint.next}::text,
        '[]'::jsonb, ${state}::text::jsonb from t)
    select ${leaseColumns} from t join r on r.run_id = t.run_id`
  return lease!
}

/** Inserts a copy of the card with its own id, so that the branch can be answered separately. */
async function reissueCard(sql: Sql, { thread_id, run_id }: Lease, cardRow: CardRow) {
  const card = { ...cardRow.card, card_id: newId() }
  const hash = await hashCard(card, cardRow.basis)
  const output = card.title
  const events = [
    JSON.stringify({ event: 'card', data: { ...card, seq: 1 } }),
    JSON.stringify({ event: 'end', data: { output, status: 'interrupted', seq: 2 } }),
  ]
  await sql`
    insert into ai_engine.cards (card_id, thread_id, run_id, skill, skippable, graph_version,
      skill_version, card, basis, hash)
    values (${card.card_id}, ${thread_id}, ${run_id}, ${cardRow.skill}, ${cardRow.skippable}, ${cardRow.graph_version},
      ${cardRow.skill_version}, ${json(card)},
      ${json(cardRow.basis)}, ${hash})`
  await sql`
    insert into ai_engine.events (run_id, seq, line)
    values (${run_id}, 1, ${events[0]!}), (${run_id}, 2, ${events[1]!})`
  await sql`
    update ai_engine.runs set status = 'interrupted', output = ${output}, card = ${json(card)},
      ended_at = now() where run_id = ${run_id}`
  await sql`
    update ai_engine.threads set status = 'interrupted', card_id = ${card.card_id}, next = '', seq = 2
    where thread_id = ${thread_id}`
}
