import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Id, Time } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { Category, columns, Fact, Scope } from './fact.ts'

const ConflictingContent = z.object({ content: z.string(), value: z.unknown(), category: Category })

const Conflict = z
  .object({
    id: Id,
    fact_id: Id,
    entity_key: z.string(),
    previous: ConflictingContent,
    current: ConflictingContent,
    detected_at: Time,
    resolution: z.enum(['newest_wins', 'matter_wins']),
  })
  .meta({ id: 'Conflict' })

const ByUser = z.object({ userId: z.string().min(1).max(200) })

export const users = [
  get(
    '/api/v1/internal/memory/users/:userId/facts',
    {
      summary: 'List the facts of a user, newest first',
      guard: organization,
      params: ByUser,
      query: PageQuery.extend({
        scope: Scope.optional(),
        case_id: ExternalId.optional(),
        category: Category.optional(),
      }),
      responses: { 200: pageSchema(Fact) },
    },
    async (c, { params, query }) => {
      const { sql } = c.env
      const { scope, case_id, category } = query
      const where = fragment`
        tenant_id = ${c.var.caller.organizationId!} and user_id = ${params.userId}
        and superseded_by is null ${join([
          ...(scope ? [fragment` and scope = ${scope}`] : []),
          ...(case_id ? [fragment` and case_id = ${case_id}`] : []),
          ...(category ? [fragment` and category = ${category}`] : []),
        ])}`
      const from = fragment`memory.facts where ${where}`
      const order = fragment`updated_at desc, id desc`
      return ok(c, await selectPage(sql, Fact, query, { columns, from, order }))
    },
  ),

  get(
    '/api/v1/internal/memory/users/:userId/conflicts',
    {
      summary: 'List the conflicts of a user, newest first',
      guard: organization,
      params: ByUser,
      query: PageQuery,
      responses: { 200: pageSchema(Conflict) },
    },
    async (c, { params, query }) => {
      const columns = fragment`
        id, fact_id, entity_key, previous, current, detected_at, resolution`
      const from = fragment`memory.conflicts
        where tenant_id = ${c.var.caller.organizationId!} and user_id = ${params.userId}`
      const order = fragment`detected_at desc, id desc`
      return ok(c, await selectPage(c.env.sql, Conflict, query, { columns, from, order }))
    },
  ),
]
