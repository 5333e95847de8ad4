import * as z from 'zod'
import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'

export const leaseMs = 15_000

/** Another process goes on with the run; this one must not. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

export interface Lease {
  runId: string
  token: number
  /** Renews the lease and throws LeaseLost where it is another's by now. */
  check(): Promise<void>
  signal: AbortSignal
  release(): void
}

/** Keeps a run ours for as long as this process lives. */
export function holdLease({ sql, kit }: ServiceContext<Deps>, runId: string, token: number): Lease {
  const lost = new AbortController()
  async function check() {
    const assertLeaseHeld = await sql`
      update collector.seed_runs set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where id = ${runId} and token = ${token} and status = 'running' returning id`
    if (assertLeaseHeld.length > 0) return
    const reason = new LeaseLost('another process took the run over')
    lost.abort(reason)
    throw reason
  }
  const heartbeat = setInterval(() => {
    check().catch((thrown) => {
      if (!(thrown instanceof LeaseLost))
        kit.log.warn({ run: runId, ...errorFields(thrown) }, 'lease not renewed')
    })
  }, leaseMs / 3)
  return { runId, token, check, signal: lost.signal, release: () => clearInterval(heartbeat) }
}

const Token = z.object({ token: z.int() })

/** Takes over a run whose process is gone; undefined where it is not, or has ended. */
export async function takeOverLease(sql: Sql, runId: string): Promise<number | undefined> {
  const taken = await sql.row(Token)`
    update collector.seed_runs
    set token = token + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${runId} and status = 'running' and lease_until < now() returning token`
  return taken?.token
}

/** Writes of a run are for the one that holds it. */
export async function assertLeaseHeld(sql: Sql, { runId, token }: Lease) {
  const [run] = await sql`
    select id from collector.seed_runs
    where id = ${runId} and token = ${token} and status = 'running' for update`
  if (!run) throw new LeaseLost('another process took the run over')
}
