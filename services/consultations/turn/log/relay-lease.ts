import { newId } from '../../../_kit/ids.ts'
import { fragment, type Sql } from '../../../_kit/sql/sql.ts'
import { clockSkewMs, leaseMs, leaseUntil } from '../turn.ts'

/**
 * The lease of this process on all turns that it relays: one row and one renewal for any number of silent turns. A
 * turn is covered once a commit has stored the id of the lease in it.
 */
export interface RelayLease {
  /** Null before the first renewal. */
  readonly id: string | null
  /** True while the lease with this id is current and certainly held. */
  covers(id: string | null): boolean
  /** Renews the lease. After a lapse a new lease with another id begins, because turns may have been taken over. */
  renew(sql: Sql): Promise<void>
}

export function makeRelayLease(): RelayLease {
  let id: string | null = null
  let safeUntil = Number.NEGATIVE_INFINITY
  return {
    get id() {
      return id
    },
    covers: (other) => id !== null && other === id && performance.now() < safeUntil,
    async renew(sql) {
      const started = performance.now()
      const renewed =
        id !== null &&
        (await sql`
          update consultations.relays set lease_until = ${leaseUntil()}
          where id = ${id} and lease_until > now() returning id`)
      if (!renewed || renewed.length === 0) {
        const next = newId()
        await sql`
          insert into consultations.relays (id, lease_until) values (${next}, ${leaseUntil()})`
        id = next
      }
      safeUntil = started + leaseMs - clockSkewMs
    },
  }
}

/** Time after the end of a lease before its turns are taken over: a renewal may be committing. */
const graceMs = 2_000

/** Condition on turns t that no process holds: the lease of the turn and the lease of its relay have expired. */
export const leaseExpired = fragment`t.lease_until < now() and not exists (
  select from consultations.relays r
  where r.id = t.relay_id and r.lease_until > now() - ${graceMs} * interval '1 millisecond')`

/** Deletes the leases of processes that ended long ago. */
export const deleteExpiredRelays = (sql: Sql) => sql`
  delete from consultations.relays where lease_until < now() - interval '1 hour'`
