import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../../_kit/endpoint.ts'
import { invalid } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment, json, timestamp } from '../../_kit/sql/sql.ts'
import { del, get, post, put } from '../deps.ts'
import { manages, reads } from '../permission.ts'
import { owned, ownerOf } from './scope.ts'
import { faultsOf, nextRun, Source, sourceOf, Written } from './source.ts'

export const path = '/api/v1/collector/sources'
export const BySource = z.object({ source_id: Id })

const NewSource = Written.extend({
  url: Written.shape.url.default(null),
  schedule: Written.shape.schedule.default(null),
  kb_id: Written.shape.kb_id.default(null),
  include: Written.shape.include.default([]),
  exclude: Written.shape.exclude.default([]),
  enabled: z.boolean().default(true),
})

export const sources = [
  get(
    path,
    {
      summary: 'Sources, the newest first',
      guard: reads,
      query: PageQuery.extend({ kind: Written.shape.kind.optional() }),
      responses: { 200: pageSchema(Source) },
    },
    async (c, { query }) => {
      const kind = query.kind ? fragment`and kind = ${query.kind}` : fragment``
      const from = fragment`collector.sources where ${owned(c)} ${kind}`
      const order = fragment`created_at desc, id desc`
      return ok(c, await selectPage(c.env.sql, Source, query, { from, order }))
    },
  ),

  post(
    path,
    {
      summary: 'Make a source',
      guard: manages,
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
      const organization = ownerOf(c)
      refuseFaults(body, c.env.allowedHosts)
      const made = await c.env.sql.row(Source)`
        insert into collector.sources (id, organization_id, name, kind, url, schedule, kb_id,
          include, exclude, enabled, next_run_at)
        values (${newId()}, ${organization}, ${body.name}, ${body.kind}, ${body.url},
          ${body.schedule}, ${body.kb_id}, ${json(body.include)}, ${json(body.exclude)},
          ${body.enabled}, ${dueAt(body)})
        returning *`
      return okWithETag(c, made!, 201)
    },
  ),

  get(
    `${path}/:source_id`,
    {
      summary: 'Read a source',
      guard: reads,
      params: BySource,
      responses: { 200: Source },
      versioned: true,
    },
    async (c, { params }) => okWithETag(c, await sourceOf(c.env.sql, params.source_id, owned(c))),
  ),

  put(
    `${path}/:source_id`,
    {
      summary: 'Edit a source',
      description: 'Members left out stay.',
      guard: manages,
      params: BySource,
      body: Written.partial(),
      responses: { 200: Source },
      versioned: true,
    },
    async (c, { params, body }) => {
      const expected = ifMatch(c)
      const source = await c.env.sql.transaction(async (sql) => {
        const before = await sourceOf(sql, params.source_id, owned(c), true)
        if (expected !== null && expected !== before.version) throw staleVersion(before.version)
        const after = Written.parse({ ...before, ...body })
        refuseFaults(after, c.env.allowedHosts)
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
      guard: manages,
      params: BySource,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      versioned: true,
    },
    async (c, { params }) => {
      const expected = ifMatch(c)
      await c.env.sql.transaction(async (sql) => {
        const { id, version } = await sourceOf(sql, params.source_id, owned(c), true)
        if (expected !== null && expected !== version) throw staleVersion(version)
        await sql`delete from collector.sources where id = ${id}`
      })
      return ok(c, { deleted: true })
    },
  ),
]

function refuseFaults(source: Written, allowedHosts: readonly string[]) {
  const issues = faultsOf(source, allowedHosts)
  if (issues.length > 0) throw invalid(issues)
}

function dueAt({ enabled, schedule }: Written) {
  const next = enabled && schedule !== null ? nextRun(schedule) : null
  return typeof next === 'number' ? timestamp(next) : null
}
