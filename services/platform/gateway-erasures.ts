import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ErasureResponse } from '../_kit/erasure.ts'
import { Id } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, json } from '../_kit/sql/sql.ts'
import { get, post } from './deps.ts'

const path = '/api/v1/internal/platform/gateway-erasures'

const GatewayErasure = z.object({ job_id: Id, organization_id: z.string(), user_id: z.string() })

/** Erasures that the gateway still has to carry out. It has no internal paths, so it asks for them. */
export const gatewayErasures = [
  get(
    path,
    {
      summary: 'List people whom the gateway has to erase',
      description: 'People who were erased in all services; the oldest 100.',
      responses: { 200: z.object({ items: z.array(GatewayErasure) }) },
    },
    async (c) => {
      const items = await c.env.sql.rows(GatewayErasure)`
        select id as job_id, organization_id, user_id from platform.erasures
        where ${isPending(c.var.caller)}
        order by created_at, id limit 100`
      return ok(c, { items })
    },
  ),

  post(
    `${path}/:job_id`,
    {
      summary: 'Report the outcome of the gateway',
      params: z.object({ job_id: Id }),
      body: ErasureResponse,
      responses: { 200: z.object({ recorded: z.boolean() }) },
    },
    async (c, { params, body: { erased } }) => {
      const outcome = { gateway: { status: 'done', erased, error: null } }
      const recorded = await c.env.sql`
        update platform.erasures set report = report || ${json(outcome)}
        where id = ${params.job_id} and ${isPending(c.var.caller)} returning id`
      return ok(c, { recorded: recorded.length > 0 })
    },
  ),
]

/** Erasures of people that succeeded in all services, of the organization that the request names, if any. */
const isPending = ({ organizationId }: Caller) => fragment`
  status = 'SUCCEEDED' and user_id is not null and not dry_run and not report ? 'gateway'
  ${organizationId === undefined ? fragment`` : fragment`and organization_id = ${organizationId}`}`
