import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { Card } from '../card.ts'
import { type Delta, patch } from './delta.ts'
import { Lease, leaseColumns, leaseUntil } from './lease.ts'

/** Whose thread it is, and what it is about. */
export interface Owner {
  thread_id: string
  organization_id: string
  user_id: string | null
  session_id: string | null
  matter_id: string | null
}

export interface NewRun {
  kind: 'execute' | 'resume' | 'replay'
  node: string
  next: string
  /** What the person brought, written into the state. */
  input: Delta
  user_message: string
  origin: RequestOrigin
}

/** The request that a run answers: what it asks of others is asked on its behalf. */
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
type ThreadRow = z.infer<typeof ThreadRow>

/**
 * A thread, locked; of another organization it is not there. What else is wanted of it is read
 * afterwards: a statement that waited for the lock sees other tables as they were before.
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
  new Fault('CONFLICT', 'The thread is at work; wait for its run to end.', {
    code: 'TURN_IN_PROGRESS',
  })

const PendingCardRow = z.object({ card: Card })

async function cardPendingFault(sql: Sql, { card_id }: ThreadRow): Promise<Fault> {
  const pending = await sql.row(
    PendingCardRow,
  )`select card from ai_engine.cards where card_id = ${card_id}`
  return new Fault('CONFLICT', 'A card waits for an answer; resume with it first.', {
    code: 'CARD_PENDING',
    data: { card: pending?.card ?? null },
  })
}

/** Starts a run that a message asks for, on a new thread or one that rests. */
export async function startExecute(
  sql: Sql,
  owner: Owner,
  initial: unknown,
  newRun: NewRun,
): Promise<Lease> {
  const { thread_id, organization_id, user_id, session_id, matter_id } = owner
  const snapshot = JSON.stringify(patch(initial, newRun.input))
  const run_id = newId()
  const lease = await insertRun(
    sql,
    newRun,
    snapshot,
    fragment`
      insert into ai_engine.threads as t (thread_id, organization_id, user_id, session_id, matter_id,
        status, run_id, rounds, head, next, base, base_bytes, lease_token, lease_until)
      values (${thread_id}, ${organization_id}, ${user_id}, ${session_id}, ${matter_id}, 'running',
        ${run_id}, 1, 1, ${newRun.next}, 1, ${snapshot.length}, 1, ${leaseUntil()})
      on conflict (thread_id) do update set ${assignRun(run_id, newRun)},
        user_id = coalesce(excluded.user_id, t.user_id),
        session_id = coalesce(excluded.session_id, t.session_id),
        matter_id = coalesce(excluded.matter_id, t.matter_id)
      where t.status = 'idle' and t.organization_id = excluded.organization_id
      returning *`,
  )
  return lease ?? Promise.reject(await startRefusal(sql, owner))
}

async function startRefusal(sql: Sql, owner: Owner): Promise<Fault> {
  return sql.transaction(async (sql) => {
    const thread = await lockThread(sql, owner.thread_id, owner.organization_id)
    return thread.status === 'interrupted' ? cardPendingFault(sql, thread) : turnInProgressFault()
  })
}

/** How a thread that was there moves on to a new run. */
export const assignRun = (run_id: string, { next, input }: NewRun) => fragment`
  status = 'running', run_id = ${run_id}, card_id = null, rounds = t.rounds + 1, head = t.head + 1,
  next = ${next}, seq = 0, delta_bytes = t.delta_bytes + ${JSON.stringify(input).length}, claims = 0,
  lease_token = t.lease_token + 1, lease_until = ${leaseUntil()}, cancel_code = null,
  updated_at = now()`

/**
 * Writes the beginning of a run: `thread` is the statement that gives it to the thread, or gives no
 * row. Its first step holds what it was asked, and the lease is ours from the start: a run that is
 * acknowledged is carried out, if not by us then by whoever finds our lease run out. `also` is written
 * with it; it knows the thread and the run as t and r.
 */
export async function insertRun(
  sql: Sql,
  { kind, node, input, user_message, origin }: NewRun,
  snapshot: string | null,
  thread: ReturnType<typeof fragment>,
  extraClauses = fragment``,
): Promise<Lease | undefined> {
  return sql.row(Lease)`
    with t as (${thread}),
    r as (
      insert into ai_engine.runs (run_id, thread_id, organization_id, user_id, session_id, matter_id,
        round, kind, trace_id, request_id, traceparent, user_message, first_step)
      select run_id, thread_id, organization_id, user_id, session_id, matter_id, rounds,
        ${kind}::text, ${newId()}::uuid, ${origin.request_id}::text, ${origin.traceparent}::text,
        ${user_message}::text, head
      from t returning *),
    c as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta, snapshot)
      select thread_id, head, ${newId()}::uuid, run_id, ${node}::text, next, ${json(input)},
        case when head = 1 then ${snapshot}::text::jsonb end from t)${extraClauses}
    select ${leaseColumns} from t join r on r.run_id = t.run_id`
}
