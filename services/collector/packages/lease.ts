import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'

export const leaseMs = 15_000

/** Another process took over the run. This one must stop. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

export interface Lease {
  runId: string
  token: number
  /** Renews the lease. Throws LeaseLost if another process took over. */
  check(): Promise<void>
  signal: AbortSignal
  release(): void
}

/** Renews the lease on a run periodically until `release`. */
export function holdLease({ sql, kit }: ServiceContext<Deps>, runId: string, token: number): Lease {
  const lost = new AbortController()
  async function check() {
    const assertLeaseHeld = await sql`
      update collector.seed_runs set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where id = ${runId} and token = ${token} and status = 'running' returning id`
    if (assertLeaseHeld.length > 0) return
    const reason = new LeaseLost('seed run lease lost')
    lost.abort(reason)
    throw reason
  }
  const heartbeat = setInterval(() => {
    check().catch((thrown) => {
      if (!(thrown instanceof LeaseLost))
        kit.log.warn({ run: runId, ...errorFields(thrown) }, 'lease renewal failed')
    })
  }, leaseMs / 3)
  return { runId, token, check, signal: lost.signal, release: () => clearInterval(heartbeat) }
}

const Token = z.object({ token: z.int() })

/**
 * Takes over a run whose lease expired and returns the new fencing token. Undefined if the lease is held or
 * the run has ended.
 */
export async function takeOverLease(sql: Sql, runId: string): Promise<number | undefined> {
  const claimed = await sql.row(Token)`
    update collector.seed_runs
    set token = token + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${runId} and status = 'running' and lease_until < now() returning token`
  return claimed?.token
}

/** Locks the run row. Throws LeaseLost unless this process holds the lease. */
export async function assertLeaseHeld(sql: Sql, { runId, token }: Lease) {
  const [run] = await sql`
    select id from collector.seed_runs
    where id = ${runId} and token = ${token} and status = 'running' for update`
  if (!run) throw new LeaseLost('seed run lease lost')
}
