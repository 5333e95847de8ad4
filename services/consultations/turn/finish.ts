import * as z from 'zod'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { storableText } from '../../_kit/storable.ts'
import { text } from '../texts.ts'
import { insertCardEvent } from './card-event.ts'
import { eventData, formatEvent, type Position, type RunEnd, type TurnEvent } from './event.ts'
import { decodeBatch, EventBatchRow, encodeBatch, replaceOnConflict } from './log/event-store.ts'
import { LeaseLost, leaseHeld, type RelayTurn } from './turn.ts'

const UpdatedTurn = z.object({ id: z.string() })

const endEvent = (turn: RelayTurn, output: string, interrupted: boolean) => {
  const { message_id, matter_id } = turn
  return formatEvent('end', { output, message_id, matter_id, interrupted })
}

const insertEvents = (events: TurnEvent[]) => fragment`
  inserted as (
    insert into consultations.turn_events (turn_id, first, last, events)
    select held.id, ${events[0]!.number}::int, ${events.at(-1)!.number}::int,
      ${encodeBatch(events)}::text from held
    ${replaceOnConflict})`

/** Events of this relay that the end of a turn needs. */
export interface RelayedEvents {
  uncommitted: TurnEvent[]
  /** Cards and errors, committed or not. */
  notable: readonly TurnEvent[]
}

/**
 * Ends a turn in one statement: commits its last events, stores the assistant message and frees the session.
 * Returns the committed events.
 */
export async function finishTurn(
  sql: Sql,
  turn: RelayTurn,
  position: Position,
  { uncommitted, notable }: RelayedEvents,
  end: RunEnd,
): Promise<TurnEvent[]> {
  const { card, error, content } = await summarizeEvents(
    sql,
    turn,
    { uncommitted, notable },
    end.output,
  )
  const number = position.eventNo + 1
  const lastEvent = endEvent(turn, end.output, end.status === 'interrupted')
  const events = [...uncommitted, { number, text: lastEvent }]
  const metadata = { turn_id: turn.id, run_id: turn.run_id, ...(error && { error }) }
  const updated = await sql.row(UpdatedTurn)`
    with held as (
      update consultations.turns set status = 'DONE', last_event_no = ${number},
        engine_seq = ${position.engineSeq}, run_id = ${turn.run_id}, ended_at = now()
      where ${leaseHeld(turn)} returning id, session_id, message_id),
    s as (
      update consultations.sessions s set turn_id = null, last_seq = last_seq + 1,
        last_message_at = now(), updated_at = now()
      from held where s.id = held.session_id returning s.id, s.last_seq),
    m as (
      insert into consultations.messages (id, session_id, seq, role, author_type, content, card,
        metadata)
      select held.message_id, s.id, s.last_seq, 'ASSISTANT', 'assistant', ${content}::text,
        ${card ? json(card) : fragment`null::jsonb`}, ${json(metadata)}
      from held join s on s.id = held.session_id),
    ${insertEvents(events)}${
      card
        ? fragment`, outbox as (${insertCardEvent('card.created', String(card.card_id))})`
        : fragment``
    }
    select id from held`
  if (!updated) throw new LeaseLost(`turn ${turn.id} is relayed by another process`)
  return events
}

/** Collects what the assistant message needs of the turn's events: card, error, and text without `output`. */
async function summarizeEvents(
  sql: Sql,
  turn: RelayTurn,
  { uncommitted, notable }: RelayedEvents,
  output: string,
) {
  // This relay has published all events, so their texts need not be searched in the database.
  if (turn.last_event_no === 0 && output !== '') return summarize([...notable], output)
  const names = output === '' ? 'card|error|delta' : 'card|error'
  const committed = await sql.rows(EventBatchRow)`
    select first, events from consultations.turn_events
    where turn_id = ${turn.id} and events ~ ${`(^|\\n)event: (${names})\\n`}
    order by first limit 10000`
  return summarize([...committed.flatMap(decodeBatch), ...uncommitted], output)
}

const summarize = (events: TurnEvent[], output: string) => ({
  card: eventData(events, 'card').at(-1),
  error: eventData(events, 'error').findLast(({ code }) => code !== engineUnavailable),
  content: storableText(
    output ||
      eventData(events, 'delta')
        .map(({ content }) => String(content))
        .join(''),
  ),
})

const engineUnavailable = 'ENGINE_UNAVAILABLE'

/** Ends the stream of a turn whose engine is unavailable. The turn stays BROKEN until a request or tick resumes it. */
export async function suspendTurn(
  sql: Sql,
  turn: RelayTurn,
  { eventNo, engineSeq }: Position,
  uncommitted: TurnEvent[],
): Promise<TurnEvent[]> {
  const error = { code: engineUnavailable, message: text('engineUnavailable', turn.language) }
  const events = [
    ...uncommitted,
    { number: eventNo + 1, text: formatEvent('error', error) },
    { number: eventNo + 2, text: endEvent(turn, '', false) },
  ]
  const updated = await sql.row(UpdatedTurn)`
    with held as (
      update consultations.turns set status = 'BROKEN', last_event_no = ${eventNo + 2},
        engine_seq = ${engineSeq}, run_id = ${turn.run_id},
        lease_until = now() + interval '15 seconds'
      where ${leaseHeld(turn)} returning id),
    ${insertEvents(events)}
    select id from held`
  if (!updated) throw new LeaseLost(`turn ${turn.id} is relayed by another process`)
  return events
}

/** Sets a claimed turn back to BROKEN because the engine is still away. */
export const restoreBroken = (sql: Sql, turn: RelayTurn) => sql`
  update consultations.turns set status = 'BROKEN', lease_until = now() + interval '15 seconds'
  where ${leaseHeld(turn)}`
