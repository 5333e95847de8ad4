import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Instant, JsonObject } from '../_kit/fields.ts'
import { assertSameOrganization, type Caller } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, timestamp } from '../_kit/sql/sql.ts'
import { append, Entry, platform } from './chain.ts'
import { get, manage, post } from './deps.ts'
import { Verdict, verify } from './verify.ts'

const Batch = z.object({
  organization_id: ExternalId.optional(),
  entries: z
    .array(
      z.object({
        actor: ExternalId,
        action: z.string().min(1).max(200),
        resource: z.string().min(1).max(500),
        details: JsonObject.default({}),
      }),
    )
    .min(1)
    .max(500),
})

const whose = 'Of the organization in X-Organization-Id; without it, of the platform itself.'
const chainOf = ({ organizationId }: Caller) => organizationId ?? platform

export const audit = [
  get(
    '/api/v1/audit-logs',
    {
      summary: 'Entries of the audit log, the newest first',
      description: whose,
      guard: manage,
      query: PageQuery.extend({
        actor: z.string().max(200).optional(),
        action: z.string().max(200).optional(),
        resource: z.string().max(500).optional(),
        from: Instant.optional().describe('This moment and later.'),
        to: Instant.optional().describe('Before this moment.'),
      }),
      responses: { 200: pageSchema(Entry) },
    },
    async (c, { query }) => {
      const { actor, action, resource, from, to } = query
      const where = fragment`
        organization_id = ${chainOf(c.var.caller)} ${join([
          ...(actor === undefined ? [] : [fragment` and actor = ${actor}`]),
          ...(action === undefined ? [] : [fragment` and action = ${action}`]),
          ...(resource === undefined ? [] : [fragment` and resource = ${resource}`]),
          ...(from === undefined ? [] : [fragment` and created_at >= ${timestamp(from)}`]),
          ...(to === undefined ? [] : [fragment` and created_at < ${timestamp(to)}`]),
        ])}`
      const table = fragment`platform.audit_logs where ${where}`
      return ok(
        c,
        await selectPage(c.env.sql, Entry, query, { from: table, order: fragment`seq desc` }),
      )
    },
  ),

  get(
    '/api/v1/audit-logs/verify',
    {
      summary: 'Check the audit log from its first entry to its last',
      description: `${whose} Names the first entry that was changed, put in, or follows one that was removed; where the end was removed, its last entry.`,
      guard: manage,
      responses: { 200: Verdict },
    },
    async (c) => ok(c, await verify(c.env.sql, chainOf(c.var.caller))),
  ),

  post(
    '/api/v1/internal/platform/audit-logs',
    {
      summary: 'Append entries to the audit log, all or none',
      description: whose,
      body: Batch,
      responses: { 200: z.object({ appended: z.int(), last_hash: z.string() }) },
    },
    async (c, { body }) => {
      assertSameOrganization(c.var.caller, body.organization_id, 'organization_id')
      const organization = body.organization_id ?? chainOf(c.var.caller)
      return ok(c, await c.env.sql.transaction((sql) => append(sql, organization, body.entries)))
    },
  ),
]
