import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../../_kit/endpoint.ts'
import { invalid } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment, json, timestamp } from '../../_kit/sql/sql.ts'
import { del, get, post, put } from '../deps.ts'
import { manageGuard, readGuard } from '../permission.ts'
import { inOrganization, requireOrganization } from './scope.ts'
import { loadSource, nextDueMs, Source, SourceFields, sourceIssues } from './source.ts'

export const path = '/api/v1/collector/sources'
export const BySource = z.object({ source_id: Id })

const NewSource = SourceFields.extend({
  url: SourceFields.shape.url.default(null),
  schedule: SourceFields.shape.schedule.default(null),
  kb_id: SourceFields.shape.kb_id.default(null),
  include: SourceFields.shape.include.default([]),
  exclude: SourceFields.shape.exclude.default([]),
  enabled: z.boolean().default(true),
})

export const sources = [
  get(
    path,
    {
      summary: 'List sources',
      guard: readGuard,
      query: PageQuery.extend({ kind: SourceFields.shape.kind.optional() }),
      responses: { 200: pageSchema(Source) },
    },
    async (c, { query }) => {
      const kind = query.kind ? fragment`and kind = ${query.kind}` : fragment``
      const from = fragment`collector.sources where ${inOrganization(c)} ${kind}`
      const order = fragment`created_at desc, id desc`
      return ok(c, await selectPage(c.env.sql, Source, query, { from, order }))
    },
  ),

  post(
    path,
    {
      summary: 'Create a source',
      guard: manageGuard,
      body: NewSource,
      example: {
        name: 'Supreme Court',
        kind: 'sitemap',
        url: 'https://example.org/sitemap.xml',
        schedule: '0 3 * * *',
        include: ['/laws/*'],
      },
      responses: { 201: Source },
      faults: ['UNAUTHENTICATED'],
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { body }) => {
      const organization = requireOrganization(c)
      rejectInvalid(body, c.env.allowedHosts)
      const created = await c.env.sql.row(Source)`
        insert into collector.sources (id, organization_id, name, kind, url, schedule, kb_id,
          include, exclude, enabled, next_run_at)
        values (${newId()}, ${organization}, ${body.name}, ${body.kind}, ${body.url},
          ${body.schedule}, ${body.kb_id}, ${json(body.include)}, ${json(body.exclude)},
          ${body.enabled}, ${dueAt(body)})
        returning *`
      return okWithETag(c, created!, 201)
    },
  ),

  get(
    `${path}/:source_id`,
    {
      summary: 'Get a source',
      guard: readGuard,
      params: BySource,
      responses: { 200: Source },
      versioned: true,
    },
    async (c, { params }) =>
      okWithETag(c, await loadSource(c.env.sql, params.source_id, inOrganization(c))),
  ),

  put(
    `${path}/:source_id`,
    {
      summary: 'Update a source',
      description: 'Omitted fields are unchanged.',
      guard: manageGuard,
      params: BySource,
      body: SourceFields.partial(),
      responses: { 200: Source },
      versioned: true,
    },
    async (c, { params, body }) => {
      const expected = ifMatch(c)
      const source = await c.env.sql.transaction(async (sql) => {
        const before = await loadSource(sql, params.source_id, inOrganization(c), true)
        if (expected !== null && expected !== before.version) throw staleVersion(before.version)
        const after = SourceFields.parse({ ...before, ...body })
        rejectInvalid(after, c.env.allowedHosts)
        if (Object.keys(body).length === 0) return before
        return sql.row(Source)`
          update collector.sources set name = ${after.name}, kind = ${after.kind},
            url = ${after.url}, schedule = ${after.schedule}, kb_id = ${after.kb_id},
            include = ${json(after.include)}, exclude = ${json(after.exclude)},
            enabled = ${after.enabled}, next_run_at = ${dueAt(after)},
            version = version + 1, updated_at = now()
          where id = ${before.id} returning *`
      })
      return okWithETag(c, source!)
    },
  ),

  del(
    `${path}/:source_id`,
    {
      summary: 'Delete a source with its runs and documents',
      guard: manageGuard,
      params: BySource,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      versioned: true,
    },
    async (c, { params }) => {
      const expected = ifMatch(c)
      await c.env.sql.transaction(async (sql) => {
        const { id, version } = await loadSource(sql, params.source_id, inOrganization(c), true)
        if (expected !== null && expected !== version) throw staleVersion(version)
        await sql`delete from collector.sources where id = ${id}`
      })
      return ok(c, { deleted: true })
    },
  ),
]

function rejectInvalid(source: SourceFields, allowedHosts: readonly string[]) {
  const issues = sourceIssues(source, allowedHosts)
  if (issues.length > 0) throw invalid(issues)
}

function dueAt({ enabled, schedule }: SourceFields) {
  const next = enabled && schedule !== null ? nextDueMs(schedule) : null
  return typeof next === 'number' ? timestamp(next) : null
}
