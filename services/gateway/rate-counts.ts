import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'

/** Requests per minute of a person, of a token, and of an address without sign-in. */
export interface RateLimits {
  user: number
  token: number
  address: number
}

export interface RateCounts {
  /** Counts a request and returns the number of requests in the last minute, over all replicas. */
  count(sql: Sql, key: string): Promise<number>
}

interface Entry {
  minute: number
  /** Requests of this minute that the database knows, of all replicas. */
  stored: number
  /** Requests of this process that are not stored yet. */
  pending: number
  /** Requests that a running sync stores. */
  sending: number
  /** Requests of the minute before. */
  previous: number
}

const Stored = z.object({ key: z.string(), used: z.int(), previous: z.int() })

const minuteMs = 60_000
const maxEntries = 100_000

/**
 * Counts requests in memory and adds them to the database every `syncMs`, all keys in one statement, which
 * also returns the counts of the other replicas. A request therefore waits for no query. The count is
 * exact with one replica. With several it misses what the others served since the last sync. `syncMs` 0
 * stores every request at once, for runtimes where a start lasts one request.
 */
export function makeRateCounts(syncMs: number, now: () => number = Date.now): RateCounts {
  const entries = new Map<string, Entry>()
  let syncedAt = 0
  let syncing: Promise<void> | undefined

  function entryOf(key: string): Entry {
    const minute = Math.floor(now() / minuteMs)
    const existing = entries.get(key)
    if (existing?.minute === minute) return existing
    const previous =
      existing?.minute === minute - 1 ? existing.stored + existing.sending + existing.pending : 0
    if (entries.size >= maxEntries) entries.clear()
    const entry = { minute, stored: 0, pending: 0, sending: 0, previous }
    entries.set(key, entry)
    return entry
  }

  async function sync(sql: Sql) {
    syncedAt = now()
    // Replicas lock the rows in the same order.
    const sent = [...entries]
      .filter(([, { pending }]) => pending > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const amounts = sent.map(([, { pending }]) => pending)
    for (const [, entry] of sent) {
      entry.sending = entry.pending
      entry.pending = 0
    }
    const rows = await sql.rows(Stored)`
      with added as (
        insert into gateway.rate_counts as counts (key, minute, used)
        select * from unnest(${textArray(sent.map(([key]) => key))},
          ${numberArray(
            sent.map(([, { minute }]) => minute),
            'int4',
          )}, ${numberArray(amounts, 'int4')})
        on conflict (key, minute) do update set used = counts.used + excluded.used
        returning key, minute, used)
      select added.key, added.used, coalesce(before.used, 0) as previous
      from added left join gateway.rate_counts before
        on before.key = added.key and before.minute = added.minute - 1`
    const stored = new Map(rows.map((row) => [row.key, row]))
    for (const [key, entry] of sent) {
      entry.stored = stored.get(key)?.used ?? entry.stored
      entry.sending = 0
      entry.previous = Math.max(entry.previous, stored.get(key)?.previous ?? 0)
    }
  }

  return {
    async count(sql, key) {
      const entry = entryOf(key)
      entry.pending++
      if (!syncing && now() - syncedAt >= syncMs) {
        // A failed sync loses counts; requests are served all the same. The database metrics show it.
        syncing = sync(sql)
          .catch(() => {})
          .finally(() => {
            syncing = undefined
          })
      }
      if (syncMs === 0) await syncing
      // The minute before counts by its share of the last 60 seconds.
      const share = 1 - (now() % minuteMs) / minuteMs
      return entry.previous * share + entry.stored + entry.sending + entry.pending
    },
  }
}

/** Deletes counts that no longer matter. */
export const deleteOldCounts = (sql: Sql) => sql`
  delete from gateway.rate_counts
  where minute < floor(extract(epoch from now()) / 60) - 2`
