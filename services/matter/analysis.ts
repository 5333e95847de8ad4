import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { ById, seen } from './matter.ts'
import { StoredJson, StoredObject } from './playbook.ts'
import { member, seenBy, service, trusted } from './scope.ts'

/** What the engine submits of each version. */
export const Kind = z.enum(['evidences', 'sufficiency', 'issues', 'strategies', 'risk_assessment'])
export type Kind = z.infer<typeof Kind>

const ofEachKind = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({
    evidences: schema,
    sufficiency: schema,
    issues: schema,
    strategies: schema,
    risk_assessment: schema,
  })

const Latest = z.object({ version: z.int().min(0), submitted: ofEachKind(z.boolean()) })

const AnalysisVersion = Latest.extend({
  kind: z.string().nullable().describe('The note it was allocated with.'),
  created_at: Time,
})

const Submission = z
  .object({
    items: z.array(StoredJson).nullable(),
    result: StoredObject.nullable(),
    submitted_at: Time,
  })
  .meta({ id: 'AnalysisSubmission' })

const Analysis = AnalysisVersion.extend(ofEachKind(Submission.nullable()).shape)

export const MatterVersion = z.coerce.number().int().min(1).max(2_147_483_647)

const Row = z.object({
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
      summary: 'The latest analysis version, 0 when there is none',
      guard: service,
      params: ById,
      responses: { 200: Latest },
    },
    async (c, { params }) => {
      await seen(c.env.sql, trusted(c.var.caller), params.id)
      const row = await c.env.sql.row(Row)`
        select ${columns} from ${versions}
        where matter_id = ${params.id} order by version desc limit 1`
      return ok(c, { version: row?.version ?? 0, submitted: submitted(row?.kinds ?? []) })
    },
  ),

  get(
    path,
    {
      summary: 'The analysis versions of a matter, the newest first',
      guard: member,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(AnalysisVersion) },
    },
    async (c, { params, query }) => {
      await seen(c.env.sql, seenBy(c.var.caller), params.id)
      const page = await selectPage(c.env.sql, Row, query, {
        columns,
        from: fragment`${versions} where matter_id = ${params.id}`,
        order: fragment`version desc`,
      })
      return ok(c, { ...page, items: page.items.map(versionOf) })
    },
  ),

  get(
    `${path}/:version`,
    {
      summary: 'Everything that was submitted of an analysis version',
      guard: member,
      params: ById.extend({ version: MatterVersion }),
      responses: { 200: Analysis },
    },
    async (c, { params: { id, version } }) => {
      const { sql } = c.env
      await seen(sql, seenBy(c.var.caller), id)
      const row = await sql.row(Row)`
        select ${columns} from ${versions} where matter_id = ${id} and version = ${version}`
      if (!row) throw notFound(`analysis version ${version}`)
      return ok(c, { ...versionOf(row), ...(await submissionsOf(sql, id, version)) })
    },
  ),
]

const submitted = (kinds: Kind[]) =>
  Object.fromEntries(Kind.options.map((kind) => [kind, kinds.includes(kind)]))

const versionOf = ({ kinds, ...row }: z.infer<typeof Row>) => ({
  ...row,
  submitted: submitted(kinds),
})

const SubmissionRow = z.object({
  kind: Kind,
  body: z.object({ items: z.array(StoredJson).optional(), result: StoredObject.optional() }),
  submitted_at: Time,
})

async function submissionsOf(sql: Sql, id: string, version: number) {
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

const Highest = z.object({ version: z.int() })

export async function latestOf(sql: Sql, matterId: string): Promise<number> {
  const highest = await sql.row(Highest)`
    select coalesce(max(version), 0) as version from matter.analysis_versions
    where matter_id = ${matterId}`
  return highest!.version
}
