import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Instant, JsonObject } from '../_kit/fields.ts'
import { type Caller, sameOrganization } from '../_kit/identity.ts'
import { PageQuery, paged, pageOf } from '../_kit/page.ts'
import { join, moment, part } from '../_kit/sql/sql.ts'
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
      answers: { 200: pageOf(Entry) },
    },
    async (c, { query }) => {
      const { actor, action, resource, from, to } = query
      const where = part`
        organization_id = ${chainOf(c.var.caller)} ${join([
          ...(actor === undefined ? [] : [part` and actor = ${actor}`]),
          ...(action === undefined ? [] : [part` and action = ${action}`]),
          ...(resource === undefined ? [] : [part` and resource = ${resource}`]),
          ...(from === undefined ? [] : [part` and created_at >= ${moment(from)}`]),
          ...(to === undefined ? [] : [part` and created_at < ${moment(to)}`]),
        ])}`
      const table = part`platform.audit_logs where ${where}`
      return ok(c, await paged(c.env.sql, Entry, query, { from: table, order: part`seq desc` }))
    },
  ),

  get(
    '/api/v1/audit-logs/verify',
    {
      summary: 'Check the audit log from its first entry to its last',
      description: `${whose} Names the first entry that was changed, put in, or follows one that was removed; where the end was removed, its last entry.`,
      guard: manage,
      answers: { 200: Verdict },
    },
    async (c) => ok(c, await verify(c.env.sql, chainOf(c.var.caller))),
  ),

  post(
    '/api/v1/internal/platform/audit-logs',
    {
      summary: 'Append entries to the audit log, all or none',
      description: whose,
      body: Batch,
      answers: { 200: z.object({ appended: z.int(), last_hash: z.string() }) },
    },
    async (c, { body }) => {
      sameOrganization(c.var.caller, body.organization_id, 'organization_id')
      const organization = body.organization_id ?? chainOf(c.var.caller)
      return ok(c, await c.env.sql.begin((sql) => append(sql, organization, body.entries)))
    },
  ),
]
