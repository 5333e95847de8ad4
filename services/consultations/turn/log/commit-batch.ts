import * as z from 'zod'
import {
  fragment,
  join,
  numberArray,
  type Sql,
  type SqlFragment,
  textArray,
} from '../../../_kit/sql/sql.ts'
import type { TurnEvent } from '../event.ts'
import { leaseUntil, type RelayTurn } from '../turn.ts'
import { encodeBatch, replaceOnConflict } from './event-store.ts'

/** The uncommitted events of one turn, with the position that they lead to. */
export interface TurnCommit {
  turn: RelayTurn
  lastEventNo: number
  engineSeq: number
  events: TurnEvent[]
}

const HeldTurn = z.object({ id: z.string() })

/** Commits events and renews leases for many turns in one statement. Returns the turns whose lease is held. */
export async function commitBatch(
  sql: Sql,
  batch: TurnCommit[],
  relayId: string | null,
): Promise<Set<string>> {
  const withEvents = batch.filter(({ events }) => events.length > 0)
  const ints = (list: number[]) => numberArray(list, 'int4')
  const heldTurns = await sql.rows(HeldTurn)`
    with batch as (
      select * from unnest(${textArray(batch.map(({ turn }) => turn.id))},
        ${ints(batch.map(({ turn }) => turn.token))}, ${ints(batch.map((each) => each.lastEventNo))},
        ${ints(batch.map(({ engineSeq }) => engineSeq))},
        ${textArray(batch.map(({ turn }) => turn.run_id!))})
        as b (id, token, last_event_no, engine_seq, run_id)),
    held as (
      update consultations.turns t set last_event_no = b.last_event_no, engine_seq = b.engine_seq,
        run_id = b.run_id::uuid, lease_until = ${leaseUntil()}, relay_id = ${relayId}::uuid
      from batch b
      where t.id = b.id::uuid and t.token = b.token and t.status = 'RUNNING' returning t.id)${withEvents.length > 0 ? insertEvents(withEvents) : fragment``}
    select id from held`
  return new Set(heldTurns.map(({ id }) => id))
}

/** Clause that inserts the events of each turn as a parameter of its own: a large text in an array needs quoting. */
const insertEvents = (commits: TurnCommit[]): SqlFragment => fragment`,
  inserted as (
    insert into consultations.turn_events (turn_id, first, last, events)
    select held.id, e.first, e.last, e.events
    from (values ${join(commits.map(eventsRow))}) as e (id, first, last, events)
    join held on held.id = e.id
    ${replaceOnConflict})`

const eventsRow = ({ turn, events, lastEventNo }: TurnCommit, index: number): SqlFragment =>
  fragment`${index > 0 ? fragment`, ` : fragment``}(${turn.id}::uuid, ${events[0]!.number}::int,
      ${lastEventNo}::int, ${encodeBatch(events)}::text)`
