import * as z from 'zod'
import type { Sql } from '../../../_kit/sql/sql.ts'
import type { TurnEvent } from '../event.ts'
import { eventsAfter } from './event-store.ts'
import { startPolling } from './poll-remote.ts'
import type { TurnLogs } from './turn-logs.ts'

const TurnState = z.object({ over: z.boolean() })

export interface Subscription {
  sql: Sql
  logs: TurnLogs
  heartbeatMs: number
  /** Called after each silence of a turn that another process relays: its relay may have crashed. */
  onRemoteSilence(turn_id: string): Promise<unknown>
}

/**
 * Yields the events of a turn after a number, each once and in order, until the turn's end: from the database
 * first, then from the log. An empty list stands for a silence of `heartbeatMs`. Only the subscriber's own
 * position is kept, so a slow subscriber takes no memory.
 */
export async function* subscribe(
  { sql, logs, heartbeatMs, onRemoteSilence }: Subscription,
  turn_id: string,
  after: number,
): AsyncGenerator<TurnEvent[]> {
  const log = logs.acquire(turn_id)
  let last = after
  try {
    for (;;) {
      let events = log.after(last)
      let over = log.closed
      if (!events) {
        // The status is read before the events: a turn that is over by then has committed all of them.
        const state = await sql.row(TurnState)`
          select status <> 'RUNNING' as over from consultations.turns where id = ${turn_id}`
        const page = await eventsAfter(sql, turn_id, last)
        events = page.events
        over = (state?.over ?? true) && page.complete
        if (page.complete) log.startAt(events.at(-1)?.number ?? last)
      }
      if (events.length > 0) {
        last = events.at(-1)!.number
        yield events
      }
      if (over && !log.isLocal) return
      if (events.length > 0) continue
      const changed = log.waitForEvents(heartbeatMs)
      if (!log.isLocal) startPolling(logs, sql)
      if (await changed) continue
      yield []
      if (!log.isLocal) await onRemoteSilence(turn_id).catch(() => {})
    }
  } finally {
    logs.release(log)
  }
}
