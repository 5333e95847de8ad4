import * as z from 'zod'
import { Id } from '../../_kit/fields.ts'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'

/** How long a runner that says nothing keeps its thread. Another takes it over within five seconds. */
export const leaseMs = 3_000

/** The right to run a thread, and where it stands. A runner keeps its own up to date as it writes. */
export const Lease = z.object({
  thread_id: z.string(),
  organization_id: z.string(),
  user_id: z.string().nullable(),
  session_id: z.string().nullable(),
  matter_id: z.string().nullable(),
  branch_of: z.string().nullable(),
  sync: z.boolean(),
  run_id: Id,
  trace_id: Id,
  request_id: z.string(),
  traceparent: z.string(),
  first_step: z.int(),
  started_at: z.string(),
  head: z.int(),
  next: z.string(),
  seq: z.int(),
  base: z.int(),
  base_bytes: z.int(),
  delta_bytes: z.int(),
  lease_token: z.int(),
  claims: z.int(),
  cancel_code: z.string().nullable(),
})
export type Lease = z.infer<typeof Lease>

/** Somebody else runs the thread by now, or nobody may: whatever we still do must leave no trace. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** The rows that this lease may write to. */
export const leaseHeld = ({ thread_id, run_id, lease_token }: Lease) =>
  fragment`thread_id = ${thread_id} and run_id = ${run_id} and lease_token = ${lease_token} and status = 'running'`

export const leaseColumns = fragment`
  t.thread_id, t.organization_id, t.user_id, t.session_id, t.matter_id, t.branch_of, t.sync,
  t.run_id, r.trace_id, r.request_id, r.traceparent, r.first_step, r.started_at, t.head, t.next, t.seq, t.base,
  t.base_bytes, t.delta_bytes, t.lease_token, t.claims, t.cancel_code`

export const leaseUntil = () => fragment`now() + ${leaseMs} * interval '1 millisecond'`

const RenewedRow = z.object({ cancel_code: z.string().nullable() })

/** Extends the lease during a long step. Returns whether the run was cancelled meanwhile. */
export async function renew(sql: Sql, lease: Lease): Promise<{ cancel_code: string | null }> {
  const row = await sql.row(RenewedRow)`
    update ai_engine.threads set lease_until = ${leaseUntil()} where ${leaseHeld(lease)} returning cancel_code`
  if (!row) throw new LeaseLost(`thread ${lease.thread_id} is run by another`)
  return row
}

/** Takes over threads whose runner has gone silent. */
export async function takeOverExpired(sql: Sql, limit: number): Promise<Lease[]> {
  if (limit <= 0) return []
  return sql.rows(Lease)`
    update ai_engine.threads t
    set lease_token = lease_token + 1, lease_until = ${leaseUntil()}, claims = claims + 1
    from ai_engine.runs r
    where r.run_id = t.run_id and t.thread_id in (
      select thread_id from ai_engine.threads
      where status = 'running' and lease_until < now()
      order by lease_until for update skip locked limit ${limit})
    returning ${leaseColumns}`
}

/** Gives the thread back at once, so that nobody need wait for the lease to end. */
export const release = (sql: Sql, lease: Lease) => sql`
  update ai_engine.threads set lease_until = now() where ${leaseHeld(lease)}`
