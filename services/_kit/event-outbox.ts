import * as z from 'zod'
import { Id, JsonObject, Time } from './fields.ts'
import { newId } from './ids.ts'
import { errorFields, type Log } from './log.ts'
import type { Client } from './peer.ts'
import { fragment, identifier, json, type Sql, textArray } from './sql/sql.ts'

export const eventTypes = [
  'matter.updated',
  'todo.updated',
  'card.created',
  'card.answered',
  'deliverable.released',
  'job.updated',
] as const

const Organization = z.string().min(1).max(200)

/** An event that people and webhooks receive from platform-service. */
export const SuiteEvent = z.object({
  id: Id,
  type: z.enum(eventTypes),
  organization_id: Organization,
  provider_organization_id: Organization.nullish().describe(
    'Organization that also sees the event.',
  ),
  user_id: z.string().max(200).nullish().describe('The only client who sees the event.'),
  matter_id: z.string().max(200).nullish(),
  at: Time,
  data: JsonObject.default({}),
})
export type SuiteEvent = z.infer<typeof SuiteEvent>
export type NewSuiteEvent = Omit<SuiteEvent, 'id' | 'at'>

/**
 * Builds the insert of events into the outbox of a service, to be combined with the write that they
 * describe: a crash leaves both or neither.
 */
export const insertOutbox = (schema: string, events: NewSuiteEvent[]) => {
  const at = new Date().toISOString()
  const rows = events.map((event) => ({ id: newId(), at, ...event }))
  return fragment`
    insert into ${identifier(`${schema}.event_outbox`)} (id, body)
    select (value->>'id')::uuid, value from jsonb_array_elements(${json(rows)})`
}

/**
 * Builds the insert of a `job.updated` event for the row of `changed`, a common table expression with `id`,
 * `organization_id`, `kind`, `status` and `previous_status`. A status that did not change is not published,
 * nor is a job of no organization.
 */
export const insertJobEvent = (schema: string) => {
  const [id, at] = [newId(), new Date().toISOString()]
  return fragment`
    insert into ${identifier(`${schema}.event_outbox`)} (id, body)
    select ${id}::uuid, jsonb_build_object('id', ${id}::text, 'type', 'job.updated',
      'at', ${at}::text, 'organization_id', organization_id,
      'data', jsonb_build_object('job_id', id, 'kind', kind, 'status', status))
    from changed
    where organization_id is not null and status is distinct from previous_status`
}

const Pending = z.object({ id: z.string(), body: JsonObject })
const batchSize = 200

/**
 * Sends the events of the outbox to platform-service, oldest first, and deletes them. platform-service
 * accepts an event once, so replicas may send the same one. Returns the number of events if more wait.
 */
export async function deliverOutbox({
  sql,
  platform,
  kit,
}: {
  sql: Sql
  platform: Client
  kit: { schema: string; log: Log }
}): Promise<number> {
  const table = identifier(`${kit.schema}.event_outbox`)
  const pending = await sql.rows(Pending)`
    select id, body from ${table} order by id limit ${batchSize}`
  if (pending.length === 0) return 0
  try {
    await platform.request(z.unknown(), '/api/v1/internal/platform/events', {
      method: 'POST',
      body: { events: pending.map(({ body }) => body) },
      idempotent: true,
    })
  } catch (thrown) {
    kit.log.warn({ events: pending.length, ...errorFields(thrown) }, 'events not delivered')
    return 0
  }
  await sql`
    delete from ${table} where id = any(${textArray(pending.map(({ id }) => id))}::uuid[])`
  return pending.length === batchSize ? batchSize : 0
}
