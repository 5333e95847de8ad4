import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { eventTypes } from '../../_kit/event-outbox.ts'
import { invalid, notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import {
  blockedAddressReason,
  FetchError,
  isAllowedHost,
  literalAddress,
  parseUrl,
} from '../../_kit/outbound/address.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment, json } from '../../_kit/sql/sql.ts'
import { del, get, manageOwn, post } from '../deps.ts'
import { enqueueDelivery } from './store-events.ts'

const Webhook = z
  .object({
    id: Id,
    url: z.string(),
    types: z.array(z.enum(eventTypes)),
    enabled: z.boolean(),
    created_by: z.string(),
    created_at: Time,
  })
  .meta({ id: 'Webhook' })
const Delivery = z.object({
  event_id: Id,
  attempts: z.int(),
  delivered_at: Time.nullable(),
  response_status: z.int().nullable(),
  error: z.string().nullable(),
  created_at: Time,
})
const WebhookDetails = Webhook.extend({
  deliveries: z.array(Delivery).describe('The 50 newest deliveries.'),
})

const path = '/api/v1/webhooks'
const ById = z.object({ id: Id })
const columns = fragment`id, url, types, enabled, created_by, created_at`

/** Webhooks of an organization (Standard Webhooks). */
export const webhooks = [
  get(
    path,
    {
      summary: 'List webhooks',
      guard: manageOwn,
      query: PageQuery,
      responses: { 200: pageSchema(Webhook) },
    },
    async (c, { query }) => {
      const organization = c.var.caller.organizationId!
      const page = await selectPage(c.env.sql, Webhook, query, {
        columns,
        from: fragment`platform.webhooks where organization_id = ${organization}`,
        order: fragment`created_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  post(
    path,
    {
      summary: 'Create a webhook',
      description:
        'Deliveries carry `webhook-id`, `webhook-timestamp` and `webhook-signature` (Standard Webhooks). Private addresses are refused.',
      guard: manageOwn,
      body: z.object({
        url: z.string().max(2_000),
        types: z
          .array(z.enum(eventTypes))
          .min(1)
          .default([...eventTypes])
          .describe('Event types to deliver. Default: all.'),
      }),
      example: { url: 'https://example.com/webhooks', types: ['matter.updated'] },
      responses: {
        201: Webhook.extend({ secret: z.string().describe('Key of the signatures; shown once.') }),
      },
    },
    async (c, { body }) => {
      const { caller } = c.var
      const organization = caller.organizationId!
      const url = checkUrl(body.url, c.env.webhookAllowedHosts)
      const secret = `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
      const webhook = await c.env.sql.row(Webhook)`
        insert into platform.webhooks (id, organization_id, url, secret, types, created_by)
        values (${newId()}, ${organization}, ${url}, ${secret}, ${json(body.types)},
          ${caller.userId ?? 'system'})
        returning ${columns}`
      return ok(c, { ...webhook!, secret }, 201)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a webhook with its newest deliveries',
      guard: manageOwn,
      params: ById,
      responses: { 200: WebhookDetails },
    },
    async (c, { params }) => {
      const organization = c.var.caller.organizationId!
      const webhook = await c.env.sql.row(Webhook)`
        select ${columns} from platform.webhooks
        where id = ${params.id} and organization_id = ${organization}`
      if (!webhook) throw notFound(`webhook ${params.id}`)
      const deliveries = await c.env.sql.rows(Delivery)`
        select event_id, attempts, delivered_at, response_status, error, created_at
        from platform.webhook_deliveries where webhook_id = ${params.id}
        order by created_at desc, id desc limit 50`
      return ok(c, { ...webhook, deliveries })
    },
  ),

  del(
    `${path}/:id`,
    {
      summary: 'Delete a webhook',
      guard: manageOwn,
      params: ById,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
    },
    async (c, { params }) => {
      const deleted = await c.env.sql`
        delete from platform.webhooks
        where id = ${params.id} and organization_id = ${c.var.caller.organizationId!}
        returning id`
      if (deleted.length === 0) throw notFound(`webhook ${params.id}`)
      return ok(c, { deleted: true as const })
    },
  ),

  post(
    `${path}/:id/redeliver`,
    {
      summary: 'Deliver an event again',
      guard: manageOwn,
      params: ById,
      body: z.object({ event_id: Id }),
      responses: { 202: z.object({ event_id: Id }) },
    },
    async (c, { params, body }) => {
      const organization = c.var.caller.organizationId!
      const found = await c.env.sql.transaction(async (tx) => {
        const [delivery] = await tx.rows(z.object({ id: z.string() }))`
          insert into platform.webhook_deliveries (id, webhook_id, event_id)
          select ${newId()}, webhook.id, event.id
          from platform.webhooks webhook join platform.events event on event.id = ${body.event_id}
            and ${organization} in (event.organization_id, event.provider_organization_id)
          where webhook.id = ${params.id} and webhook.organization_id = ${organization}
          on conflict (webhook_id, event_id) do update set delivered_at = null
          returning id`
        if (delivery) await enqueueDelivery(tx, delivery.id)
        return delivery !== undefined
      })
      if (!found)
        throw notFound(`event ${body.event_id} of the last 24 hours for webhook ${params.id}`)
      return ok(c, { event_id: body.event_id }, 202)
    },
  ),
]

/** Refuses addresses that are not public at once; host names are checked at every delivery. */
function checkUrl(text: string, allowedHosts: readonly string[]): string {
  try {
    const url = parseUrl(text)
    const address = literalAddress(url)
    if (!isAllowedHost(url, allowedHosts)) {
      if (url.protocol !== 'https:') throw new FetchError('The URL must be https.')
      const reason = address === null ? null : blockedAddressReason(address)
      if (reason !== null) throw new FetchError(`The address is not public (${reason}).`)
    }
    return url.href
  } catch (thrown) {
    if (thrown instanceof FetchError) throw invalid([{ path: 'url', message: thrown.message }])
    throw thrown
  }
}
