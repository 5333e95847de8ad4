import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Instant, JsonObject } from '../_kit/fields.ts'
import { assertSameOrganization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, timestamp } from '../_kit/sql/sql.ts'
import { AuditEntry, append, chainName } from './audit-chain.ts'
import { get, manage, post } from './deps.ts'

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

const organizationNote =
  'Chain of the organization in X-Organization-Id. Without the header: the chain of the platform.'

export const audit = [
  get(
    '/api/v1/audit-logs',
    {
      summary: 'List audit entries, newest first',
      description: organizationNote,
      guard: manage,
      query: PageQuery.extend({
        actor: z.string().max(200).optional(),
        action: z.string().max(200).optional(),
        resource: z.string().max(500).optional(),
        from: Instant.optional().describe('Earliest time, inclusive.'),
        to: Instant.optional().describe('Latest time, exclusive.'),
      }),
      responses: { 200: pageSchema(AuditEntry) },
    },
    async (c, { query }) => {
      const { actor, action, resource, from, to } = query
      const where = fragment`
        organization_id = ${chainName(c.var.caller)} ${join([
          ...(actor === undefined ? [] : [fragment` and actor = ${actor}`]),
          ...(action === undefined ? [] : [fragment` and action = ${action}`]),
          ...(resource === undefined ? [] : [fragment` and resource = ${resource}`]),
          ...(from === undefined ? [] : [fragment` and created_at >= ${timestamp(from)}`]),
          ...(to === undefined ? [] : [fragment` and created_at < ${timestamp(to)}`]),
        ])}`
      const table = fragment`platform.audit_logs where ${where}`
      // By time only with a range: entries of two processes can differ by their clocks.
      const byTime = from !== undefined || to !== undefined
      const order = byTime ? fragment`created_at desc, seq desc` : fragment`seq desc`
      return ok(c, await selectPage(c.env.sql, AuditEntry, query, { from: table, order }))
    },
  ),

  post(
    '/api/v1/internal/platform/audit-logs',
    {
      summary: 'Append entries to the audit log in one transaction',
      description: organizationNote,
      body: Batch,
      responses: { 200: z.object({ appended: z.int(), last_hash: z.string() }) },
    },
    async (c, { body }) => {
      assertSameOrganization(c.var.caller, body.organization_id, 'organization_id')
      const organization = body.organization_id ?? chainName(c.var.caller)
      return ok(c, await c.env.sql.transaction((sql) => append(sql, organization, body.entries)))
    },
  ),
]
