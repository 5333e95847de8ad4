import * as z from 'zod'
import { Id, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import type { Members } from './merge.ts'
import { StoredJson } from './playbook.ts'

/** Change of a matter: actor, time, and state before and after. */
export const Event = z
  .object({
    id: Id,
    type: z.string(),
    actor: z.string(),
    at: Time,
    summary: z.string(),
    from: StoredJson,
    to: StoredJson,
  })
  .meta({ id: 'MatterEvent' })

export interface NewEvent {
  type: string
  summary: string
  from: Members
  to: Members
}

/** Builds the insert of an event, to be combined with the write that it describes. */
export const insertEvent = (matterId: string, actor: string, event: NewEvent) => fragment`
  insert into matter.events (id, matter_id, type, actor, summary, before, after)
  values (${newId()}, ${matterId}, ${event.type}, ${actor}, ${event.summary},
    ${json(truncateState(event.from))}, ${json(truncateState(event.to))})`

const maxEvents = 200

export const loadNewestEvents = (sql: Sql, matterId: string) => sql.rows(Event)`
  select id, type, actor, at, summary, before as "from", after as "to" from matter.events
  where matter_id = ${matterId} order by no desc limit ${maxEvents}`

/** Replaces long values by `…`: events describe changes and are not copies of the data. */
function truncateState(state: Members): Members {
  if (JSON.stringify(state).length <= 4_000) return state
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      JSON.stringify(value).length <= 300 ? value : '…',
    ]),
  )
}
