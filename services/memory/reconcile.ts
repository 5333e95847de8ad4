import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { type Sql, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { EntityKey, FactContent } from './fact.ts'
import { type Change, upsertFact } from './upsert-fact.ts'

const ReconcileRequest = z
  .object({
    user_id: ExternalId,
    case_id: ExternalId,
    matter_version: z.int().min(0).nullish(),
    facts: z.array(FactContent.extend({ entity_key: EntityKey })).max(2_000),
  })
  .superRefine(({ facts }, issue) => {
    const seen = new Set<string>()
    facts.forEach(({ entity_key }, index) => {
      if (seen.has(entity_key)) {
        const path = ['facts', index, 'entity_key']
        issue.addIssue({ code: 'custom', path, message: 'Duplicate key.' })
      }
      seen.add(entity_key)
    })
  })

const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
})

export const reconcile = [
  post(
    '/api/v1/internal/memory/reconcile',
    {
      summary: 'Replace the facts of a case with the facts of its matter',
      description:
        'After the call the facts of source `matter` for this case are exactly the given facts. A matter_version older than the last one changes nothing.',
      guard: organization,
      body: ReconcileRequest,
      example: {
        user_id: 7,
        case_id: 'C-1',
        matter_version: 3,
        facts: [
          { entity_key: 'claim.amount', category: 'case_detail', content: 'The claim is 100,000.' },
        ],
      },
      responses: { 200: Counts },
    },
    async (c, { body }) => {
      const tenant = c.var.caller.organizationId!
      return ok(c, await c.env.sql.transaction((sql) => reconcileCase(sql, tenant, body)))
    },
  ),
]

async function reconcileCase(sql: Sql, tenant: string, body: z.output<typeof ReconcileRequest>) {
  const counts = { created: 0, updated: 0, unchanged: 0, deleted: 0 }
  if (!(await claimMatterVersion(sql, tenant, body))) return counts

  // Sorted by key, so that concurrent writers lock the rows in the same order.
  const sortedFacts = [...body.facts].sort((a, b) => (a.entity_key < b.entity_key ? -1 : 1))
  for (const fact of sortedFacts) {
    const change: Change = await upsertFact(
      sql,
      {
        ...fact,
        tenant_id: tenant,
        user_id: body.user_id,
        scope: 'case',
        case_id: body.case_id,
        source: 'matter',
      },
      'matter_wins',
    ).then(({ change }) => change)
    counts[change]++
  }
  const deleted = await sql`
    delete from memory.facts
    where tenant_id = ${tenant} and user_id = ${body.user_id} and case_id = ${body.case_id}
      and source = 'matter' and not entity_key = any(${textArray(sortedFacts.map((fact) => fact.entity_key))})
    returning id`
  return { ...counts, deleted: deleted.length }
}

/** Locks the row of the case, which serializes its reconciliations. Returns false for an older version. */
async function claimMatterVersion(
  sql: Sql,
  tenant: string,
  { user_id, case_id, matter_version }: z.output<typeof ReconcileRequest>,
) {
  const claimed = await sql`
    insert into memory.reconciliations (tenant_id, user_id, case_id, matter_version)
    values (${tenant}, ${user_id}, ${case_id}, ${matter_version ?? null})
    on conflict (tenant_id, user_id, case_id) do update
    set matter_version = coalesce(excluded.matter_version, reconciliations.matter_version),
      reconciled_at = now()
    where excluded.matter_version is null or reconciliations.matter_version is null
      or excluded.matter_version >= reconciliations.matter_version
    returning case_id`
  return claimed.length > 0
}
