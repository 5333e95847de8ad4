import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { columns, Fact, Scope } from './fact.ts'
import { isSimilar, normalizeText } from './similarity.ts'

const RefineRequest = z.object({
  user_id: ExternalId,
  scope: Scope.optional(),
  case_id: ExternalId.nullish(),
  dry_run: z.boolean().default(false),
})
type RefineRequest = z.output<typeof RefineRequest>

const RefineResponse = z.object({
  examined: z.int(),
  merged: z.int(),
  facts: z.array(Fact).describe('Facts that superseded others.'),
})

/** Maximum number of facts compared in one call, newest first: the comparison is quadratic. */
const maxFactsExamined = 2_000
const minSimilarity = 0.9

export const refine = [
  post(
    '/api/v1/internal/memory/refine',
    {
      summary: 'Merge similar facts',
      description:
        'Compares facts of the same scope, case and category. Two facts are similar if at most a tenth of the letters differ, ignoring punctuation and case. The fact with the highest confidence stays, then the newest. The others are superseded: excluded from lists and recall, readable by id.',
      guard: organization,
      body: RefineRequest,
      example: { user_id: 7, dry_run: true },
      responses: { 200: RefineResponse },
    },
    async (c, { body }) => {
      const tenant = c.var.caller.organizationId!
      const refined = await c.env.sql.transaction(async (sql) => {
        const facts = await lockFacts(sql, tenant, body)
        const merges = findDuplicates(facts)
        if (!body.dry_run) for (const merge of merges) await supersede(sql, tenant, merge)
        return {
          examined: facts.length,
          merged: merges.reduce((sum, { duplicates }) => sum + duplicates.length, 0),
          facts: merges.map(({ survivor }) => survivor),
        }
      })
      return ok(c, refined)
    },
  ),
]

/** Locks the facts in order of id, which prevents deadlocks between concurrent calls. */
async function lockFacts(sql: Sql, tenant: string, { user_id, scope, case_id }: RefineRequest) {
  const facts = await sql.rows(Fact)`
    select ${columns} from memory.facts
    where tenant_id = ${tenant} and id in (
      select id from memory.facts
      where tenant_id = ${tenant} and user_id = ${user_id} and superseded_by is null
        ${scope ? fragment`and scope = ${scope}` : fragment``}
        ${case_id ? fragment`and case_id = ${case_id}` : fragment``}
      order by updated_at desc, id desc limit ${maxFactsExamined})
      and superseded_by is null
    order by id for update`
  return facts.sort(
    (a, b) =>
      b.confidence - a.confidence ||
      b.updated_at.localeCompare(a.updated_at) ||
      b.id.localeCompare(a.id),
  )
}

type Merge = { survivor: Fact; duplicates: Fact[] }

/** Assigns each fact to the first earlier fact of its group that is similar. */
export function findDuplicates(facts: Fact[]): Merge[] {
  const groups = new Map<string, (Merge & { text: string })[]>()
  for (const fact of facts) {
    const groupKey = JSON.stringify([fact.scope, fact.case_id, fact.category])
    const group = groups.get(groupKey) ?? []
    groups.set(groupKey, group)
    const text = normalizeText(fact.content)
    const matchingMerge = group.find((merge) => isSimilar(merge.text, text, minSimilarity))
    if (matchingMerge) matchingMerge.duplicates.push(fact)
    else group.push({ survivor: fact, duplicates: [], text })
  }
  return [...groups.values()]
    .flat()
    .filter(({ duplicates }) => duplicates.length > 0)
    .map(({ survivor, duplicates }) => ({ survivor, duplicates }))
}

async function supersede(sql: Sql, tenant: string, { survivor, duplicates }: Merge) {
  for (const { id } of duplicates) {
    await sql`
      update memory.facts set superseded_by = ${survivor.id}, version = version + 1, updated_at = now()
      where tenant_id = ${tenant} and id = ${id}`
  }
}
