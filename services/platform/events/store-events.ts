import * as z from 'zod'
import type { SuiteEvent } from '../../_kit/event-outbox.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'

const Fresh = z.object({ id: z.string() })
const Delivery = z.object({ id: z.string() })

/** Attempts over about eight hours; events are kept for 24. */
export const maxDeliveryAttempts = 100

/** Stores new events and enqueues their deliveries to webhooks. Returns the number of new events. */
export async function storeEvents(tx: Sql, events: readonly SuiteEvent[]): Promise<number> {
  // Followers read by `seq`: without the lock a lower number could become visible after a higher one.
  await tx`select pg_advisory_xact_lock(hashtext('platform.events'))`
  const fresh = await tx.rows(Fresh)`
    insert into platform.events
      (id, type, organization_id, provider_organization_id, user_id, matter_id, at, data)
    select id, type, organization_id, provider_organization_id, user_id, matter_id, at,
      coalesce(data, '{}')
    from jsonb_to_recordset(${json(events)}) as event (id uuid, type text, organization_id text,
      provider_organization_id text, user_id text, matter_id text, at timestamptz, data jsonb)
    on conflict (id) do nothing returning id`
  if (fresh.length === 0) return 0
  const deliveries = await tx.rows(Delivery)`
    insert into platform.webhook_deliveries (id, webhook_id, event_id)
    select gen_random_uuid(), webhook.id, event.id
    from platform.events event
    join platform.webhooks webhook on webhook.enabled
      and (webhook.organization_id = event.organization_id
        or webhook.organization_id = event.provider_organization_id)
      and webhook.types ? event.type
    where event.id = any(${textArray(fresh.map(({ id }) => id))}::uuid[])
    on conflict do nothing returning id`
  for (const { id } of deliveries) await enqueueDelivery(tx, id)
  return fresh.length
}

export const enqueueDelivery = (tx: Sql, deliveryId: string) =>
  enqueue(tx, 'platform', {
    kind: 'deliver_webhook',
    payload: { delivery_id: deliveryId },
    key: deliveryId,
    maxAttempts: maxDeliveryAttempts,
  })

/** Deletes events after 24 hours and deliveries after seven days. */
export async function deleteOldEvents(sql: Sql): Promise<void> {
  await sql`delete from platform.events where created_at < now() - interval '24 hours'`
  await sql`delete from platform.webhook_deliveries where created_at < now() - interval '7 days'`
}
