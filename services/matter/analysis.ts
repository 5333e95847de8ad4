import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { ById, requireVisible } from './matter.ts'
import { StoredJson, StoredObject } from './playbook.ts'
import { serviceGuard, userGuard, visibleToService, visibleToUser } from './scope.ts'

/** Kinds of results that the engine submits for a version. */
export const Kind = z.enum(['evidences', 'sufficiency', 'issues', 'strategies', 'risk_assessment'])
export type Kind = z.infer<typeof Kind>

const perKind = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({
    evidences: schema,
    sufficiency: schema,
    issues: schema,
    strategies: schema,
    risk_assessment: schema,
  })

const Latest = z.object({ version: z.int().min(0), submitted: perKind(z.boolean()) })

const AnalysisVersion = Latest.extend({
  kind: z.string().nullable().describe('Label given at allocation.'),
  created_at: Time,
})

const Submission = z
  .object({
    items: z.array(StoredJson).nullable(),
    result: StoredObject.nullable(),
    submitted_at: Time,
  })
  .meta({ id: 'AnalysisSubmission' })

const Analysis = AnalysisVersion.extend(perKind(Submission.nullable()).shape)

export const MatterVersion = z.coerce.number().int().min(1).max(2_147_483_647)

const AnalysisVersionRow = z.object({
  version: z.int(),
  kind: z.string().nullable(),
  created_at: Time,
  kinds: z.array(Kind),
})

const versions = fragment`matter.analysis_versions as versions`
const columns = fragment`
  version, kind, created_at,
  (select coalesce(jsonb_agg(submissions.kind), '[]') from matter.submissions
    where submissions.matter_id = versions.matter_id
      and submissions.version = versions.version) as kinds`

const path = '/api/v1/matters/:id/analysis'

export const analysis = [
  get(
    '/api/v1/internal/matters/:id/analysis/versions/latest',
    {
      summary: 'Get the latest analysis version, 0 if there is none',
      guard: serviceGuard,
      params: ById,
      responses: { 200: Latest },
    },
    async (c, { params }) => {
      await requireVisible(c.env.sql, visibleToService(c.var.caller), params.id)
      const row = await c.env.sql.row(AnalysisVersionRow)`
        select ${columns} from ${versions}
        where matter_id = ${params.id} order by version desc limit 1`
      return ok(c, { version: row?.version ?? 0, submitted: submittedKinds(row?.kinds ?? []) })
    },
  ),

  get(
    path,
    {
      summary: 'List the analysis versions of a matter, newest first',
      guard: userGuard,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(AnalysisVersion) },
    },
    async (c, { params, query }) => {
      await requireVisible(c.env.sql, visibleToUser(c.var.caller), params.id)
      const page = await selectPage(c.env.sql, AnalysisVersionRow, query, {
        columns,
        from: fragment`${versions} where matter_id = ${params.id}`,
        order: fragment`version desc`,
      })
      return ok(c, { ...page, items: page.items.map(toAnalysisVersion) })
    },
  ),

  get(
    `${path}/:version`,
    {
      summary: 'Get the submissions of an analysis version',
      guard: userGuard,
      params: ById.extend({ version: MatterVersion }),
      responses: { 200: Analysis },
    },
    async (c, { params: { id, version } }) => {
      const { sql } = c.env
      await requireVisible(sql, visibleToUser(c.var.caller), id)
      const row = await sql.row(AnalysisVersionRow)`
        select ${columns} from ${versions} where matter_id = ${id} and version = ${version}`
      if (!row) throw notFound(`analysis version ${version}`)
      return ok(c, { ...toAnalysisVersion(row), ...(await loadSubmissions(sql, id, version)) })
    },
  ),
]

const submittedKinds = (kinds: Kind[]) =>
  Object.fromEntries(Kind.options.map((kind) => [kind, kinds.includes(kind)]))

const toAnalysisVersion = ({ kinds, ...row }: z.infer<typeof AnalysisVersionRow>) => ({
  ...row,
  submitted: submittedKinds(kinds),
})

const SubmissionRow = z.object({
  kind: Kind,
  body: z.object({ items: z.array(StoredJson).optional(), result: StoredObject.optional() }),
  submitted_at: Time,
})

async function loadSubmissions(sql: Sql, id: string, version: number) {
  const rows = await sql.rows(SubmissionRow)`
    select kind, body, submitted_at from matter.submissions
    where matter_id = ${id} and version = ${version}`
  const none = Object.fromEntries(Kind.options.map((kind) => [kind, null]))
  const found = rows.map(({ kind, body, submitted_at }) => [
    kind,
    { items: body.items ?? null, result: body.result ?? null, submitted_at },
  ])
  return { ...none, ...Object.fromEntries(found) }
}

const LatestVersion = z.object({ version: z.int() })

export async function loadLatestVersion(sql: Sql, matterId: string): Promise<number> {
  const highest = await sql.row(LatestVersion)`
    select coalesce(max(version), 0) as version from matter.analysis_versions
    where matter_id = ${matterId}`
  return highest!.version
}
