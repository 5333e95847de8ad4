import * as z from 'zod'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import type { TurnEvent } from './translate.ts'

/** Events that were written together. An event has no empty line in it, so one divides them. */
export const EventBatchRow = z.object({ first: z.int(), lines: z.string() })

export const encodeBatch = (lines: TurnEvent[]): string =>
  lines.map(({ line }) => line).join('\n\n')

export const decodeBatch = ({ first, lines }: z.infer<typeof EventBatchRow>): TurnEvent[] =>
  lines.split('\n\n').map((line, index) => ({ n: first + index, line }))

/** So many rows are read at a time. */
export const pageRows = 32

/** The next events of a turn after one of them, and whether these are all that were written. */
export async function eventsAfter(sql: Sql, turn_id: string, after: number) {
  const rows = await sql.rows(EventBatchRow)`
    select first, lines from consultations.turn_events
    where turn_id = ${turn_id} and last > ${after} order by first limit ${pageRows}`
  const lines = rows.flatMap(decodeBatch).filter(({ n }) => n > after)
  return { lines, all: rows.length < pageRows }
}

/** What is written twice, because the first time nobody heard that it was, begins alike and may be longer. */
export const replaceOnConflict = fragment`
  on conflict (turn_id, first) do update set last = excluded.last, lines = excluded.lines`

/**
 * Forgets the steps of turns that ended a month ago: what they came to is in the message. The last of what
 * they told stays, their end included.
 */
export const deleteOldEvents = (sql: Sql) => sql`
  delete from consultations.turn_events e using consultations.turns t
  where e.turn_id = t.id and e.last < t.n and t.status = 'DONE'
    and t.ended_at < now() - interval '30 days' and t.ended_at > now() - interval '37 days'`
