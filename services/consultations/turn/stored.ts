import * as z from 'zod'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import type { Line } from './translate.ts'

/** Events that were written together. An event has no empty line in it, so one divides them. */
export const Row = z.object({ first: z.int(), lines: z.string() })

export const joined = (lines: Line[]): string => lines.map(({ line }) => line).join('\n\n')

export const divided = ({ first, lines }: z.infer<typeof Row>): Line[] =>
  lines.split('\n\n').map((line, index) => ({ n: first + index, line }))

/** So many rows are read at a time. */
export const rowsAtATime = 32

/** The next events of a turn after one of them, and whether these are all that were written. */
export async function linesAfter(sql: Sql, turn_id: string, after: number) {
  const rows = await sql.rows(Row)`
    select first, lines from consultations.turn_events
    where turn_id = ${turn_id} and last > ${after} order by first limit ${rowsAtATime}`
  const lines = rows.flatMap(divided).filter(({ n }) => n > after)
  return { lines, all: rows.length < rowsAtATime }
}

/** What is written twice, because the first time nobody heard that it was, begins alike and may be longer. */
export const orLonger = fragment`
  on conflict (turn_id, first) do update set last = excluded.last, lines = excluded.lines`

/**
 * Forgets the steps of turns that ended a month ago: what they came to is in the message. The last of what
 * they told stays, their end included.
 */
export const forget = (sql: Sql) => sql`
  delete from consultations.turn_events e using consultations.turns t
  where e.turn_id = t.id and e.last < t.n and t.status = 'DONE'
    and t.ended_at < now() - interval '30 days' and t.ended_at > now() - interval '37 days'`
