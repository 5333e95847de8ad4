import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Json, JsonObject } from '../_kit/fields.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { type Kind, loadLatestVersion } from './analysis.ts'
import { commitChange } from './commit-change.ts'
import { post } from './deps.ts'
import { ById, lockMatter, type Matter } from './matter.ts'
import { isEqual } from './merge.ts'
import { bodySchema, StoredObject } from './playbook.ts'
import { engineActor, serviceGuard, visibleToService } from './scope.ts'

const Version = z.int().min(1).max(2_147_483_647)

const Submission = z
  .object({
    version: Version,
    items: z.array(Json).optional(),
    result: JsonObject.optional(),
  })
  .refine(({ items, result }) => (items === undefined) !== (result === undefined), {
    path: ['items'],
    error: 'Send either items or result.',
  })
  .meta({
    oneOf: [
      { required: ['items'], not: { required: ['result'] } },
      { required: ['result'], not: { required: ['items'] } },
    ],
    examples: [{ version: 1, items: [{ name: 'Bank statement', weight: 'strong' }] }],
  })

const SubmitResponse = z.object({ version: Version, stored: z.int().min(0) })

/** Kind, path and label of each analysis result. */
const submitPaths: [Kind, string, string][] = [
  ['evidences', 'evidences/submit-analysis', 'the evidence analysis'],
  ['sufficiency', 'sufficiency/submit', 'the sufficiency of the evidence'],
  ['issues', 'issues/submit', 'the issues'],
  ['strategies', 'strategies/submit', 'the strategies'],
  ['risk_assessment', 'risk-assessment/submit', 'the risk assessment'],
]

export const submit = submitPaths.map(([kind, path, label]) =>
  post(
    `/api/v1/internal/matters/:id/${path}`,
    {
      summary: `Submit ${label} of a version`,
      description:
        'Idempotent per version and kind. A different body is 409 and leaves the first; a version that was not allocated is 409. `stored` is the number of items, or 1 for a result.',
      guard: serviceGuard,
      params: ById,
      body: bodySchema(Submission),
      responses: { 200: SubmitResponse },
      faults: ['CONFLICT'],
    },
    async (c, { params, body: { version, ...body } }) => {
      const stored = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, visibleToService(c.var.caller), params.id)
        const before = await findSubmission(sql, matter.id, version, kind)
        if (!before) return saveSubmission(sql, matter, version, { kind, label, body })
        if (isEqual(before.body, body)) return before.stored
        throw new Fault(
          'CONFLICT',
          `Version ${version} already has a different submission of ${kind}.`,
        )
      })
      return ok(c, { version, stored })
    },
  ),
)

const StoredSubmission = z.object({ body: StoredObject, stored: z.int() })

const findSubmission = (sql: Sql, matterId: string, version: number, kind: Kind) => sql.row(
  StoredSubmission,
)`
  select body, stored from matter.submissions
  where matter_id = ${matterId} and version = ${version} and kind = ${kind}`

async function saveSubmission(
  sql: Sql,
  matter: Matter,
  version: number,
  { kind, label, body }: { kind: Kind; label: string; body: { items?: unknown[] | undefined } },
): Promise<number> {
  const latest = await loadLatestVersion(sql, matter.id)
  if (version > latest) {
    throw new Fault('CONFLICT', `Analysis version ${version} is not allocated.`, {
      data: { latest },
    })
  }
  const stored = body.items?.length ?? 1
  await sql`
    insert into matter.submissions (matter_id, version, kind, body, stored)
    values (${matter.id}, ${version}, ${kind}, ${json(body)}, ${stored})`
  await commitChange(sql, matter, engineActor, {
    type: 'analysis.submitted',
    summary: `Submitted ${label} of analysis version ${version}.`,
    from: { [kind]: null },
    to: { [kind]: { version, stored } },
  })
  return stored
}
