import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import type { JobContext } from '../../_kit/jobs.ts'
import { FetchError, parseUrl } from '../../_kit/outbound/address.ts'
import { resolvePublicAddress } from '../../_kit/outbound/resolve-address.ts'
import type { Deps } from '../deps.ts'
import { signWebhook } from './sign-webhook.ts'
import { eventColumns, publicEvent, StoredEvent } from './stored-event.ts'

const Target = z.object({
  webhook_id: z.string(),
  event_id: z.string(),
  url: z.string(),
  secret: z.string(),
})
const timeoutMs = 15_000
const maxResponseBytes = 64 * 1024
const gone = 410

/**
 * Delivers an event to a webhook. Every status but 2xx is an error, which the job repeats with a growing
 * delay. 410 disables the webhook. A redirect is not followed.
 */
export async function deliverWebhook(
  { sql, webhookTransport, webhookAllowedHosts }: ServiceContext<Deps>,
  { delivery_id }: { delivery_id: string },
  { signal }: JobContext,
): Promise<void> {
  const target = await sql.row(Target)`
    select webhook.id as webhook_id, delivery.event_id, webhook.url, webhook.secret
    from platform.webhook_deliveries delivery
    join platform.webhooks webhook on webhook.id = delivery.webhook_id
    where delivery.id = ${delivery_id} and delivery.delivered_at is null and webhook.enabled`
  if (!target) return
  const event = await sql.row(StoredEvent)`
    select ${eventColumns} from platform.events where id = ${target.event_id}`
  if (!event) return
  const record = (status: number | null, error: string | null) => sql`
    update platform.webhook_deliveries
    set attempts = attempts + 1, response_status = ${status}, error = ${error},
      delivered_at = case when ${error === null} then now() end
    where id = ${delivery_id}`
  try {
    const { id, type, at, ...data } = publicEvent(event)
    const body = JSON.stringify({ type, timestamp: at, data: { id, type, at, ...data } })
    const url = parseUrl(target.url)
    const transport = await webhookTransport!()
    const { status } = await transport.exchange({
      url,
      address: await resolvePublicAddress(transport, url, webhookAllowedHosts),
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'legal-suite-webhooks',
        ...(await signWebhook(target.secret, event.id, Date.now(), body)),
      },
      maxBytes: maxResponseBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (status < 200 || status > 299) {
      await record(status, `The receiver responded ${status}.`)
      if (status === gone) {
        await sql`update platform.webhooks set enabled = false where id = ${target.webhook_id}`
        return
      }
      throw new Error(`the receiver responded ${status}`)
    }
    await record(status, null)
  } catch (thrown) {
    if (thrown instanceof FetchError) await record(null, thrown.message)
    throw thrown
  }
}
