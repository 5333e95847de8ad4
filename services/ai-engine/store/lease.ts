import * as z from 'zod'
import { Id } from '../../_kit/fields.ts'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'

/** Validity of a lease without renewal. Another process takes over within five seconds. */
export const leaseMs = 3_000

/** The right to run a thread, with the position of the thread. */
export const Lease = z.object({
  thread_id: z.string(),
  organization_id: z.string(),
  user_id: z.string().nullable(),
  /** User type of the user; null if there is no user, or if the thread is older than this column. */
  user_type: z.string().nullable(),
  /** The client of the matter; null: the user. */
  client_id: z.string().nullable(),
  /** User type of the client of the matter; null: unknown, or the client is the user. */
  client_type: z.string().nullable(),
  session_id: z.string().nullable(),
  matter_id: z.string().nullable(),
  branch_of: z.string().nullable(),
  sync: z.boolean(),
  run_id: Id,
  trace_id: Id,
  graph_version: z.string(),
  request_id: z.string(),
  traceparent: z.string(),
  first_step: z.int(),
  started_at: z.string(),
  head: z.int(),
  // One damaged row must not keep the other runs of a takeover from being read.
  next: z
    .string()
    .nullable()
    .transform((next) => next ?? ''),
  seq: z.int(),
  base: z.int(),
  base_bytes: z.int(),
  delta_bytes: z.int(),
  lease_token: z.int(),
  claims: z.int(),
  cancel_code: z.string().nullable(),
})
export type Lease = z.infer<typeof Lease>

/** Another process runs the thread, or the run is over. Nothing more may be written. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** Condition on a thread row: the lease is valid. */
export const leaseHeld = ({ thread_id, run_id, lease_token }: Lease) =>
  fragment`thread_id = ${thread_id} and run_id = ${run_id} and lease_token = ${lease_token} and status = 'running'`

export const leaseColumns = fragment`
  t.thread_id, t.organization_id, t.user_id, t.user_type, t.client_id, t.client_type, t.session_id, t.matter_id,
  t.branch_of, t.sync, t.run_id, r.trace_id, r.graph_version, r.request_id, r.traceparent, r.first_step, r.started_at, t.head, t.next, t.seq, t.base,
  t.base_bytes, t.delta_bytes, t.lease_token, t.claims, t.cancel_code`

export const leaseUntil = () => fragment`now() + ${leaseMs} * interval '1 millisecond'`

const RenewedRow = z.object({ cancel_code: z.string().nullable() })

/** Extends the lease during a long step. Returns whether the run was cancelled meanwhile. */
export async function renew(sql: Sql, lease: Lease): Promise<{ cancel_code: string | null }> {
  const row = await sql.row(RenewedRow)`
    update ai_engine.threads set lease_until = ${leaseUntil()} where ${leaseHeld(lease)} returning cancel_code`
  if (!row) throw new LeaseLost(`thread ${lease.thread_id} is run by another process`)
  return row
}

/** Delay before the next attempt at a step that was lost `claims` times; the first is made at once. */
const backoff = fragment`
  case when claims > 0 then least(30, 0.25 * power(2, claims)) * interval '1 second'
    else interval '0' end`

/** Takes over running threads whose lease has expired, oldest first. */
export async function takeOverExpired(sql: Sql, limit: number): Promise<Lease[]> {
  if (limit <= 0) return []
  return sql.rows(Lease)`
    update ai_engine.threads t
    set lease_token = lease_token + 1, lease_until = ${leaseUntil()}, claims = claims + 1
    from ai_engine.runs r
    where r.run_id = t.run_id and t.thread_id in (
      select thread_id from ai_engine.threads
      where status = 'running' and lease_until < now() - ${backoff}
      order by lease_until for update skip locked limit ${limit})
    returning ${leaseColumns}`
}

/** Expires the lease, so that another process need not wait for it. */
export const release = (sql: Sql, lease: Lease) => sql`
  update ai_engine.threads set lease_until = now() where ${leaseHeld(lease)}`

/** Releases a run that has not started; the takeover is its first attempt. */
export const queue = (sql: Sql, lease: Lease) => sql`
  update ai_engine.threads set lease_until = now(), claims = -1 where ${leaseHeld(lease)}`

/** Ends threads that are running without a running run, or interrupted without a pending card. */
export const repairThreads = (sql: Sql) => sql`
  update ai_engine.threads t set status = 'idle', card_id = null, updated_at = now()
  where t.status = 'running' and not exists (
      select from ai_engine.runs r where r.run_id = t.run_id and r.status = 'running')
    or t.status = 'interrupted' and not exists (
      select from ai_engine.cards c where c.card_id = t.card_id and c.status = 'pending')`
