import * as z from 'zod'
import type { Caller } from '../../_kit/identity.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { eventColumns, isVisible, StoredEvent, visibleTo } from './stored-event.ts'

export interface EventFeed {
  /** Yields the events that a person may see after `after`; an empty list after a silence. */
  follow(
    sql: Sql,
    caller: Caller,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredEvent[], void>
}

const pollMs = 500
const silenceMs = 15_000
const maxRecent = 2_000
const pageSize = 200

const Head = z.object({ head: z.int() })

/** Sequence number of the last event. */
export async function loadHead(sql: Sql): Promise<number> {
  const row = await sql.row(Head)`select coalesce(max(seq), 0) as head from platform.events`
  return row!.head
}

/**
 * Feeds all followers of a process from one poll. Recent events are in memory; a follower that is further
 * behind reads pages from the database until it has caught up.
 */
export function makeEventFeed(): EventFeed {
  /** Every event with `tail < seq <= head` is in `recent`. */
  let [tail, head] = [0, 0]
  let recent: StoredEvent[] = []
  let followers = 0
  let polling: Promise<void> | undefined
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const resume of waiting) resume()
  }

  async function poll(sql: Sql) {
    while (followers > 0) {
      const rows = await sql.rows(StoredEvent)`
        select ${eventColumns} from platform.events where seq > ${head} order by seq limit 500`
      if (rows.length > 0) {
        recent = [...recent, ...rows].slice(-maxRecent)
        head = rows.at(-1)!.seq
        tail = Math.max(tail, recent.length === maxRecent ? recent[0]!.seq - 1 : tail)
        wake()
      } else await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  async function start(sql: Sql) {
    head = await loadHead(sql)
    tail = head
    recent = []
  }

  /** Keeps the poll running while there are followers. A failed query is repeated after a pause. */
  async function keepPolling(sql: Sql) {
    while (followers > 0) {
      await poll(sql).catch(() => new Promise((resolve) => setTimeout(resolve, pollMs)))
    }
    polling = undefined
  }

  /** Waits for news, silence or the end of the follower. */
  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        waiting.delete(finish)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, silenceMs)
      waiting.add(finish)
      signal.addEventListener('abort', finish)
    })
  }

  return {
    async *follow(sql, caller, after, signal) {
      if (!polling) await start(sql)
      followers++
      polling ??= keepPolling(sql)
      let position = after
      try {
        while (!signal.aborted) {
          const until = head
          const isBehind = position < tail
          const events = isBehind
            ? await sql.rows(StoredEvent)`
                select ${eventColumns} from platform.events
                where seq > ${position} and seq <= ${until} and ${visibleTo(caller)}
                order by seq limit ${pageSize}`
            : recent.filter((event) => event.seq > position && isVisible(event, caller))
          // A follower may start after the last poll, so its position is never moved back.
          position =
            isBehind && events.length === pageSize ? events.at(-1)!.seq : Math.max(position, until)
          if (events.length > 0) yield events
          else if (head === until) {
            await wait(signal)
            if (head === until && !signal.aborted) yield []
          }
        }
      } finally {
        followers--
      }
    },
  }
}
