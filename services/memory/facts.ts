import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { invalid, notFound } from '../_kit/fault.ts'
import { ExternalId, Id } from '../_kit/fields.ts'
import { assertSameOrganization, organization } from '../_kit/identity.ts'
import { json, numberArray, type Sql } from '../_kit/sql/sql.ts'
import { del, get, post, put } from './deps.ts'
import {
  CaseId,
  Category,
  Confidence,
  Content,
  caseIdSchema,
  checkCaseId,
  columns,
  EntityKey,
  Fact,
  FactContent,
  Scope,
  Source,
} from './fact.ts'
import { indexFact } from './terms.ts'
import { upsertFact } from './upsert-fact.ts'

const NewFact = FactContent.extend({
  tenant_id: ExternalId.optional(),
  user_id: ExternalId,
  scope: Scope,
  case_id: CaseId,
  entity_key: EntityKey,
  source: Source.default('user'),
})
  .superRefine(checkCaseId)
  .meta(caseIdSchema)

const Identity = z.object({
  tenant_id: ExternalId.optional(),
  user_id: ExternalId.optional(),
  scope: Scope.optional(),
  case_id: ExternalId.nullable().optional(),
  entity_key: EntityKey.optional(),
})

const FactPatch = Identity.extend({
  category: Category.optional(),
  content: Content.optional(),
  value: z.unknown().optional(),
  confidence: Confidence.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})

const ById = z.object({ factId: Id })
const path = '/api/v1/internal/memory/facts'

export const facts = [
  post(
    path,
    {
      summary: 'Create or update a fact',
      description:
        'A new key creates a fact (201). Equal content, value and category change nothing (200). Otherwise the new content replaces the old content, which is stored as a conflict (200).',
      guard: organization,
      body: NewFact,
      example: {
        user_id: 7,
        scope: 'case',
        case_id: 'C-1',
        entity_key: 'loan.principal',
        category: 'case_detail',
        content: 'The principal of the loan is 100,000.',
        value: { amount: 100_000 },
      },
      responses: { 200: Fact, 201: Fact },
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { body }) => {
      assertSameOrganization(c.var.caller, body.tenant_id, 'tenant_id')
      const tenant = c.var.caller.organizationId!
      const { fact, change } = await upsertFact(
        c.env.sql,
        { ...body, tenant_id: tenant },
        'newest_wins',
      )
      return okWithETag(c, fact, change === 'created' ? 201 : 200)
    },
  ),

  get(
    `${path}/:factId`,
    {
      summary: 'Get a fact',
      guard: organization,
      params: ById,
      responses: { 200: Fact },
      versioned: true,
    },
    async (c, { params }) => {
      const tenant = c.var.caller.organizationId!
      return okWithETag(c, await loadFact(c.env.sql, tenant, params.factId))
    },
  ),

  put(
    `${path}/:factId`,
    {
      summary: 'Update a fact',
      description:
        'Omitted fields stay unchanged. The identity fields (tenant, user, scope, case, entity key) are immutable.',
      guard: organization,
      params: ById,
      body: FactPatch,
      example: { content: 'The principal of the loan is 120,000.', confidence: 0.9 },
      responses: { 200: Fact },
      versioned: true,
    },
    async (c, { params, body }) => {
      const tenant = c.var.caller.organizationId!
      const expected = ifMatch(c)
      const fact = await c.env.sql.transaction(async (sql) => {
        const before = await loadFact(sql, tenant, params.factId, true)
        if (expected !== null && expected !== before.version) throw staleVersion(before.version)
        rejectIdentityChange(before, body)
        return updateFact(sql, before, body)
      })
      return okWithETag(c, fact)
    },
  ),

  del(
    `${path}/:factId`,
    {
      summary: 'Delete a fact and its conflicts',
      guard: organization,
      params: ById,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      versioned: true,
    },
    async (c, { params }) => {
      const tenant = c.var.caller.organizationId!
      const expected = ifMatch(c)
      await c.env.sql.transaction(async (sql) => {
        const { version } = await loadFact(sql, tenant, params.factId, true)
        if (expected !== null && expected !== version) throw staleVersion(version)
        await sql`delete from memory.facts where tenant_id = ${tenant} and id = ${params.factId}`
      })
      return ok(c, { deleted: true })
    },
  ),
]

async function loadFact(sql: Sql, tenant: string, id: string, lock = false): Promise<Fact> {
  const fact = lock
    ? await sql.row(Fact)`
        select ${columns} from memory.facts where tenant_id = ${tenant} and id = ${id} for update`
    : await sql.row(Fact)`
        select ${columns} from memory.facts where tenant_id = ${tenant} and id = ${id}`
  if (!fact) throw notFound(`fact ${id}`)
  return fact
}

function rejectIdentityChange(before: Fact, body: z.output<typeof Identity>) {
  const issues = (Object.keys(Identity.shape) as (keyof typeof body)[])
    .filter((member) => body[member] !== undefined && body[member] !== before[member])
    .map((member) => ({
      path: member,
      message: 'This field is immutable. Create a new fact instead.',
    }))
  if (issues.length > 0) throw invalid(issues)
}

async function updateFact(sql: Sql, before: Fact, body: z.output<typeof FactPatch>): Promise<Fact> {
  const { category, content, value, confidence, metadata } = body
  if ([category, content, value, confidence, metadata].every((member) => member === undefined)) {
    return before
  }
  const after = {
    category: category ?? before.category,
    content: content ?? before.content,
    value: value === undefined ? before.value : value,
    confidence: confidence ?? before.confidence,
    metadata: metadata ?? before.metadata,
  }
  const { terms, termCounts } = indexFact(
    before.tenant_id,
    before.user_id,
    before.entity_key,
    after.content,
  )
  const fact = await sql.row(Fact)`
    update memory.facts set category = ${after.category}, content = ${after.content},
      value = ${json(after.value)}, confidence = ${after.confidence},
      metadata = ${json(after.metadata)}, version = version + 1, updated_at = now(),
      terms = ${numberArray(terms, 'int4')}, term_counts = ${termCounts}
    where tenant_id = ${before.tenant_id} and id = ${before.id} returning ${columns}`
  return fact!
}
