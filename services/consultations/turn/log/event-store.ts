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

const PrunedTurn = z.object({ id: z.string() })

/** Turns per statement of the retention sweep. */
const pruneBatch = 500

/**
 * Deletes the events of turns that ended more than `retentionDays` ago; the result is in the message. The last batch
 * of each turn, which contains `end`, stays.
 */
export async function deleteOldEvents(sql: Sql, retentionDays: number): Promise<void> {
  for (;;) {
    const pruned = await sql.rows(PrunedTurn)`
      with old as (
        select id, last_event_no from consultations.turns
        where status = 'DONE' and not events_pruned
          and ended_at < now() - ${retentionDays} * interval '1 day'
        order by ended_at limit ${pruneBatch} for update skip locked),
      deleted as (
        delete from consultations.turn_events e using old
        where e.turn_id = old.id and e.last < old.last_event_no)
      update consultations.turns t set events_pruned = true from old where t.id = old.id
      returning t.id`
    if (pruned.length < pruneBatch) return
  }
}
