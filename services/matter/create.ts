import { insertOutbox } from '../_kit/event-outbox.ts'
import { newId } from '../_kit/ids.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { insertEvent } from './events.ts'
import { columns, Matter } from './matter.ts'
import { suiteEventsOf } from './suite-events.ts'

type NewMatter = Omit<Matter, 'id' | 'status' | 'version' | 'created_at' | 'updated_at'>

/** Inserts a matter in DRAFT. Returns undefined if the session already has a matter. */
export async function createMatter(
  sql: Sql,
  actor: string,
  matter: NewMatter,
): Promise<Matter | undefined> {
  const created = await sql.row(Matter)`
    insert into matter.matters
      (id, status, title, matter_category, cause_of_action_code, service_type_id, session_id,
        user_id, organization_id, provider_organization_id, lawyer_id, firm_id, file_ids, profile,
        data)
    values (${newId()}, 'DRAFT', ${matter.title}, ${matter.matter_category},
      ${matter.cause_of_action_code}, ${matter.service_type_id}, ${matter.session_id},
      ${matter.user_id}, ${matter.organization_id}, ${matter.provider_organization_id},
      ${matter.lawyer_id}, ${matter.firm_id}, ${json(matter.file_ids)}, ${json(matter.profile)},
      ${json(matter.data)})
    on conflict (organization_id, session_id) do nothing returning ${columns}`
  if (!created) return undefined
  const event = {
    type: 'matter.created',
    summary: created.session_id === null ? 'Created.' : 'Created from a consultation.',
    from: {},
    to: { title: created.title, status: created.status, session_id: created.session_id },
  }
  await sql`
    with event as (${insertEvent(created.id, actor, event)})
    ${insertOutbox('matter', suiteEventsOf(created, created.version, event))}`
  return created
}
