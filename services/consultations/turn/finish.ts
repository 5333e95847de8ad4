import * as z from 'zod'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { decodeBatch, EventBatchRow, encodeBatch, replaceOnConflict } from './event-log.ts'
import { dataOf, formatEvent, type RunEnd, type TurnEvent } from './translate.ts'
import { LeaseLost, leaseHeld, type RelayTurn } from './turn.ts'

const UpdatedTurn = z.object({ id: z.string() })

/** What `end` says: how it ended, and where the answer is kept. */
const endEvent = (turn: RelayTurn, output: string, interrupted: boolean) => {
  const { message_id, matter_id } = turn
  return formatEvent('end', { output, message_id, matter_id, interrupted })
}

const insertEvents = (lines: TurnEvent[]) => fragment`
  told as (
    insert into consultations.turn_events (turn_id, first, last, lines)
    select held.id, ${lines[0]!.n}::int, ${lines.at(-1)!.n}::int, ${encodeBatch(lines)}::text from held
    ${replaceOnConflict})`

/**
 * Ends a turn: with its last events the assistant's message is written, whole, and the session is free for
 * the next one. All of it in one statement, once.
 */
export async function finishTurn(
  sql: Sql,
  turn: RelayTurn,
  at: { n: number; engine_seq: number },
  rest: TurnEvent[],
  end: RunEnd,
): Promise<TurnEvent[]> {
  const { card, error, content } = await summarizeEvents(sql, turn, rest, end.output)
  const last = { n: at.n + 1, line: endEvent(turn, end.output, end.status === 'interrupted') }
  const lines = [...rest, last]
  const metadata = { turn_id: turn.id, run_id: turn.run_id, ...(error && { error }) }
  const written = await sql.row(UpdatedTurn)`
    with held as (
      update consultations.turns set status = 'DONE', n = ${last.n}, engine_seq = ${at.engine_seq},
        run_id = ${turn.run_id}, ended_at = now()
      where ${leaseHeld(turn)} returning id, session_id, message_id),
    s as (
      update consultations.sessions s set turn_id = null, last_seq = last_seq + 1,
        last_message_at = now(), updated_at = now()
      from held where s.id = held.session_id returning s.id, s.last_seq),
    m as (
      insert into consultations.messages (id, session_id, seq, role, content, card, metadata)
      select held.message_id, s.id, s.last_seq, 'ASSISTANT', ${content}::text,
        ${card ? json(card) : fragment`null::jsonb`}, ${json(metadata)}
      from held join s on s.id = held.session_id),
    ${insertEvents(lines)}
    select id from held`
  if (!written) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
  return lines
}

/** What of all that was told belongs into the message beside what the engine says it comes to. */
async function summarizeEvents(sql: Sql, turn: RelayTurn, rest: TurnEvent[], output: string) {
  const eventNames = output === '' ? 'card|error|delta' : 'card|error'
  const before = await sql.rows(EventBatchRow)`
    select first, lines from consultations.turn_events
    where turn_id = ${turn.id} and lines ~ ${`(^|\\n)event: (${eventNames})\\n`}
    order by first limit 10000`
  const lines = [...before.flatMap(decodeBatch), ...rest]
  return {
    card: dataOf(lines, 'card').at(-1),
    error: dataOf(lines, 'error').findLast(({ code }) => code !== engineUnavailable.code),
    content:
      output ||
      dataOf(lines, 'delta')
        .map(({ content }) => String(content))
        .join(''),
  }
}

const engineUnavailable = {
  code: 'ENGINE_UNAVAILABLE',
  message: 'The engine does not answer; the turn goes on when it is back.',
}

/** Ends the stream of a turn whose engine has gone. The turn itself waits to be picked up. */
export async function suspendTurn(
  sql: Sql,
  turn: RelayTurn,
  at: { n: number; engine_seq: number },
  rest: TurnEvent[],
): Promise<TurnEvent[]> {
  const lines = [
    ...rest,
    { n: at.n + 1, line: formatEvent('error', engineUnavailable) },
    { n: at.n + 2, line: endEvent(turn, '', false) },
  ]
  const written = await sql.row(UpdatedTurn)`
    with held as (
      update consultations.turns set status = 'BROKEN', n = ${at.n + 2},
        engine_seq = ${at.engine_seq}, run_id = ${turn.run_id},
        lease_until = now() + interval '15 seconds'
      where ${leaseHeld(turn)} returning id),
    ${insertEvents(lines)}
    select id from held`
  if (!written) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
  return lines
}

/** Leaves a turn that was to be picked up as it was. */
export const restoreBroken = (sql: Sql, turn: RelayTurn) => sql`
  update consultations.turns set status = 'BROKEN', lease_until = now() + interval '15 seconds'
  where ${leaseHeld(turn)}`
