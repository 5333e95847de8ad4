import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join } from '../_kit/sql/sql.ts'
import { get, post } from './deps.ts'
import { service, visibleToService } from './scope.ts'
import { effectKinds } from './store/effect.ts'
import { resend } from './store/outbox.ts'

const OutboxRow = z
  .object({
    sync_key: z.string(),
    kind: z.enum(effectKinds),
    organization_id: z.string(),
    matter_id: z.string(),
    thread_id: z.string(),
    status: z.enum(['PENDING', 'DELIVERED', 'REFUSED']),
    error: z.string().nullable(),
    created_at: Time,
    refused_at: Time.nullable(),
  })
  .meta({ id: 'OutboxRow' })

const IdFilter = z.string().min(1).max(200).optional()

export const outbox = [
  get(
    '/api/v1/internal/ai/outbox',
    {
      summary: 'List writes to other services, newest first',
      guard: service,
      query: PageQuery.extend({
        status: OutboxRow.shape.status.optional(),
        matter_id: IdFilter,
        thread_id: IdFilter,
      }),
      responses: { 200: pageSchema(OutboxRow) },
    },
    async (c, { query }) => {
      const { status, matter_id, thread_id } = query
      const conditions = join([
        ...(status === undefined ? [] : [fragment` and status = ${status}`]),
        ...(matter_id === undefined ? [] : [fragment` and matter_id = ${matter_id}`]),
        ...(thread_id === undefined ? [] : [fragment` and thread_id = ${thread_id}`]),
      ])
      const from = fragment`ai_engine.outbox where ${visibleToService(c.var.caller)}${conditions}`
      const order = fragment`created_at desc, sync_key desc`
      return ok(c, await selectPage(c.env.sql, OutboxRow, query, { from, order }))
    },
  ),

  post(
    '/api/v1/internal/ai/outbox/resend',
    {
      summary: 'Send refused writes again',
      description: 'Requires sync_key or matter_id.',
      guard: service,
      body: z.object({ sync_key: IdFilter, matter_id: IdFilter }),
      responses: { 200: z.object({ resent: z.int() }) },
    },
    async (c, { body }) => {
      if (body.sync_key === undefined && body.matter_id === undefined)
        throw invalid([{ path: 'sync_key', message: 'sync_key or matter_id is required.' }])
      return ok(c, { resent: await resend(c.env.sql, c.var.caller.organizationId, body) })
    },
  ),
]
