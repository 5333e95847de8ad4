import * as z from 'zod'
import { fragment, type Sql } from '../../../_kit/sql/sql.ts'
import type { TurnEvent } from '../event.ts'

/** Events of one commit. An event contains no empty line, so an empty line separates two events. */
export const EventBatchRow = z.object({ first: z.int(), events: z.string() })

export const encodeBatch = (events: TurnEvent[]): string =>
  events.map(({ text }) => text).join('\n\n')

export const decodeBatch = ({ first, events }: z.infer<typeof EventBatchRow>): TurnEvent[] =>
  events.split('\n\n').map((text, index) => ({ number: first + index, text }))

/** Number of rows per read. */
export const pageRows = 32

/** Reads the committed events after a number; `complete` is false when more rows follow. */
export async function eventsAfter(sql: Sql, turn_id: string, after: number) {
  const rows = await sql.rows(EventBatchRow)`
    select first, events from consultations.turn_events
    where turn_id = ${turn_id} and last > ${after} order by first limit ${pageRows}`
  const events = rows.flatMap(decodeBatch).filter(({ number }) => number > after)
  return { events, complete: rows.length < pageRows }
}

/** Idempotent retry: a batch whose commit was not acknowledged is written again, possibly with more events. */
export const replaceOnConflict = fragment`
  on conflict (turn_id, first) do update set last = excluded.last, events = excluded.events`

/**
 * Deletes the events of turns that ended a month ago; the result is in the message. The last batch of each turn,
 * which contains `end`, stays.
 */
export const deleteOldEvents = (sql: Sql) => sql`
  delete from consultations.turn_events e using consultations.turns t
  where e.turn_id = t.id and e.last < t.last_event_no and t.status = 'DONE'
    and t.ended_at < now() - interval '30 days' and t.ended_at > now() - interval '37 days'`
