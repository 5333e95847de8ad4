import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { storableJson } from '../../_kit/storable.ts'
import { Card } from '../card.ts'
import { type Delta, patch } from './delta.ts'
import { Lease, leaseColumns, leaseUntil } from './lease.ts'
import { History, historyColumn, stateAfter } from './start-state.ts'

/** The owner and the subject of a thread. */
export interface Owner {
  thread_id: string
  organization_id: string
  user_id: string | null
  user_type?: string | null
  /** The client of the matter, if known. */
  client_id?: string | null
  client_type?: string | null
  session_id: string | null
  matter_id: string | null
}

export interface NewRun {
  kind: 'execute' | 'resume' | 'replay'
  node: string
  next: string
  /** Input of the run, as operations on the state. */
  input: Delta
  user_message: string
  graph_version: string
  origin: RequestOrigin
}

/** The lease of a new run, with the state of its thread if the statement that started it could read it. */
export type StartedLease = Lease & { state?: unknown }

/** The request that started a run; forwarded to the services that the run calls. */
export interface RequestOrigin {
  request_id: string
  traceparent: string
}

const ThreadRow = z.object({
  thread_id: z.string(),
  organization_id: z.string(),
  status: z.enum(['idle', 'running', 'interrupted']),
  run_id: z.string().nullable(),
  card_id: z.string().nullable(),
  head: z.int(),
  base_bytes: z.int(),
  delta_bytes: z.int(),
  rounds: z.int(),
})

/**
 * Locks a thread. A thread of another organization is not found. Other tables must be read afterwards:
 * a statement that waited for the lock sees their rows as they were before.
 */
export async function lockThread(sql: Sql, thread_id: string, organization: string | undefined) {
  const thread = await sql.row(ThreadRow)`
    select * from ai_engine.threads where thread_id = ${thread_id} for update`
  if (!thread || (organization !== undefined && thread.organization_id !== organization)) {
    throw notFound('such thread')
  }
  return thread
}

const turnInProgressFault = () =>
  new Fault('CONFLICT', 'The thread is running. Wait for the end of its run.', {
    code: 'TURN_IN_PROGRESS',
  })

const cardPendingFault = (card: Card) =>
  new Fault('CONFLICT', 'A card is pending. Resume with its answers first.', {
    code: 'CARD_PENDING',
    data: { card },
  })

/** Starts a run for a message, on a new or idle thread. */
export async function startExecute(
  sql: Sql,
  owner: Owner,
  initial: unknown,
  newRun: NewRun,
): Promise<StartedLease> {
  const { thread_id, organization_id, user_id, session_id, matter_id } = owner
  const { user_type = null, client_id = null, client_type = null } = owner
  const snapshot = storableJson(patch(initial, newRun.input))
  const run_id = newId()
  const lease = await insertRun(
    sql,
    newRun,
    snapshot,
    fragment`
      insert into ai_engine.threads as t (thread_id, organization_id, user_id, user_type, client_id,
        client_type, session_id, matter_id,
        status, run_id, rounds, head, next, base, base_bytes, lease_token, lease_until)
      values (${thread_id}, ${organization_id}, ${user_id}, ${user_type}, ${client_id},
        ${client_type}, ${session_id}, ${matter_id}, 'running',
        ${run_id}, 1, 1, ${newRun.next}, 1, ${snapshot.length}, 1, ${leaseUntil()})
      on conflict (thread_id) do update set ${assignRun(run_id, newRun)},
        user_id = coalesce(excluded.user_id, t.user_id),
        user_type = case when excluded.user_id is null then t.user_type else excluded.user_type end,
        client_id = coalesce(excluded.client_id, t.client_id),
        client_type = case when excluded.client_id is null then t.client_type else excluded.client_type end,
        session_id = coalesce(excluded.session_id, t.session_id),
        matter_id = coalesce(excluded.matter_id, t.matter_id)
      where t.status = 'idle' and t.organization_id = excluded.organization_id
      returning *`,
  )
  if (lease) return lease
  const refusal = await startRefusal(sql, owner)
  if (refusal) throw refusal
  return startExecute(sql, owner, initial, newRun)
}

/** Returns why a thread accepts no run; undefined if it accepts one. Repairs a thread that waits for nothing. */
async function startRefusal(sql: Sql, owner: Owner): Promise<Fault | undefined> {
  return sql.transaction(async (sql) => {
    const thread = await lockThread(sql, owner.thread_id, owner.organization_id)
    if (thread.status === 'idle') return undefined
    const waits = await sql.row(WaitsFor)`
      select exists (select from ai_engine.runs where run_id = ${thread.run_id} and status = 'running')
          as running,
        (select card from ai_engine.cards where card_id = ${thread.card_id} and status = 'pending')
          as card`
    if (thread.status === 'running' && waits!.running) return turnInProgressFault()
    if (thread.status === 'interrupted' && waits!.card) return cardPendingFault(waits!.card)
    await sql`
      update ai_engine.threads set status = 'idle', card_id = null
      where thread_id = ${thread.thread_id}`
    return undefined
  })
}

/** A card that cannot be read cannot be answered either. */
const WaitsFor = z.object({ running: z.boolean(), card: Card.nullable().catch(null) })

/** Assignments that give an existing thread a new run. */
export const assignRun = (run_id: string, { next, input }: NewRun) => fragment`
  status = 'running', run_id = ${run_id}, card_id = null, rounds = t.rounds + 1, head = t.head + 1,
  next = ${next}, seq = 0, delta_bytes = t.delta_bytes + ${JSON.stringify(input).length}, claims = 0,
  lease_token = t.lease_token + 1, lease_until = ${leaseUntil()}, cancel_code = null,
  updated_at = now()`

/**
 * Inserts a run with its first checkpoint and returns its lease. `thread` is the statement that assigns
 * the run to the thread; no row means no run. Once committed, the run is carried out: by this process, or
 * by another when the lease expires. `extraClauses` may refer to the thread and the run as t and r.
 */
export async function insertRun(
  sql: Sql,
  { kind, node, input, user_message, graph_version, origin }: NewRun,
  snapshot: string | null,
  thread: ReturnType<typeof fragment>,
  extraClauses = fragment``,
): Promise<StartedLease | undefined> {
  const row = await sql.row(StartedRow)`
    with t as (${thread}),
    r as (
      insert into ai_engine.runs (run_id, thread_id, organization_id, user_id, session_id, matter_id,
        round, graph_version, kind, trace_id, request_id, traceparent, user_message, first_step)
      select run_id, thread_id, organization_id, user_id, session_id, matter_id, rounds,
        ${graph_version}::text, ${kind}::text, ${newId()}::uuid, ${origin.request_id}::text, ${origin.traceparent}::text,
        ${user_message}::text, head
      from t returning *),
    c as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta, snapshot)
      select thread_id, head, ${newId()}::uuid, run_id, ${node}::text, next, ${json(input)},
        case when head = 1 then ${snapshot}::text::jsonb end from t)${extraClauses}
    select ${leaseColumns}, ${historyColumn} from t join r on r.run_id = t.run_id`
  if (!row) return undefined
  const { history, ...lease } = row
  return { ...lease, state: stateAfter(lease, history, input, snapshot) }
}

const StartedRow = Lease.extend({ history: History })
