import * as z from 'zod'
import { insertOutbox } from '../_kit/event-outbox.ts'
import { Time, Version } from '../_kit/fields.ts'
import { fragment, identifier, join, json, type Sql } from '../_kit/sql/sql.ts'
import { insertEvent, type NewEvent } from './events.ts'
import type { Matter } from './matter.ts'
import { suiteEventsOf } from './suite-events.ts'

/** Mutable members of a matter. */
export type Changes = Partial<
  Omit<
    Matter,
    'id' | 'session_id' | 'user_id' | 'organization_id' | 'version' | 'created_at' | 'updated_at'
  >
>

const VersionRow = z.object({ version: Version, updated_at: Time })

/** Commits a change of a locked matter: increments the version, records an event and publishes it. */
export async function commitChange(
  sql: Sql,
  matter: Matter,
  actor: string,
  event: NewEvent,
  changes: Changes = {},
): Promise<Matter> {
  const assignments = Object.entries(changes).map(([column, value]) =>
    typeof value === 'object' && value !== null
      ? fragment`${identifier(column)} = ${json(value)}, `
      : fragment`${identifier(column)} = ${value}, `,
  )
  const row = await sql.row(VersionRow)`
    with event as (${insertEvent(matter.id, actor, event)}),
    outbox as (${insertOutbox('matter', suiteEventsOf({ ...matter, ...changes }, matter.version + 1, event))})
    update matter.matters
    set ${join(assignments)} version = version + 1, updated_at = clock_timestamp()
    where id = ${matter.id} returning version, updated_at`
  return { ...matter, ...changes, ...row! }
}
