import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { Fault } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import { get, post } from '../deps.ts'
import { manageGuard, readGuard } from '../permission.ts'
import { CollectionRun, changeRun, createRun, loadRun, RunWithLog, runInProgress } from './run.ts'
import { inOrganization } from './scope.ts'
import { loadSource } from './source.ts'
import { BySource, path as sources } from './sources.ts'

const path = '/api/v1/collector/runs'
const ByRun = z.object({ run_id: Id })

export const runs = [
  post(
    `${sources}/:source_id/runs`,
    {
      summary: 'Start a run of a source',
      description:
        'A source has at most one active run. On workerd a run stays PENDING until a Node or Deno process executes it.',
      guard: manageGuard,
      params: BySource,
      responses: { 202: CollectionRun },
      idempotencyKey: true,
    },
    async (c, { params }) => {
      const run = await c.env.sql.transaction(async (sql) => {
        const source = await loadSource(sql, params.source_id, inOrganization(c))
        if (source.kind === 'upload') {
          throw new Fault('CONFLICT', 'A source of kind upload cannot be fetched.')
        }
        if (!source.enabled) throw new Fault('CONFLICT', 'The source is disabled.')
        const created = await createRun(sql, source, 'manual')
        if (!created) throw runInProgress()
        return created
      })
      return ok(c, run, 202)
    },
  ),

  get(
    path,
    {
      summary: 'List collection runs',
      guard: readGuard,
      query: PageQuery.extend({
        source_id: Id.optional(),
        status: CollectionRun.shape.status.optional(),
      }),
      responses: { 200: pageSchema(CollectionRun) },
    },
    async (c, { query }) => {
      const source = query.source_id ? fragment`and source_id = ${query.source_id}` : fragment``
      const status = query.status ? fragment`and status = ${query.status}` : fragment``
      const from = fragment`collector.runs where ${inOrganization(c)} ${source} ${status}`
      const order = fragment`created_at desc, id desc`
      return ok(c, await selectPage(c.env.sql, CollectionRun, query, { from, order }))
    },
  ),

  get(
    `${path}/:run_id`,
    {
      summary: 'Get a run with its log',
      guard: readGuard,
      params: ByRun,
      responses: { 200: RunWithLog },
    },
    async (c, { params }) => ok(c, await loadRun(c.env.sql, params.run_id, inOrganization(c))),
  ),

  post(
    `${path}/:run_id/cancel`,
    {
      summary: 'Cancel a run',
      description: 'Documents collected so far are kept. Cancelling twice changes nothing.',
      guard: manageGuard,
      params: ByRun,
      responses: { 200: RunWithLog },
      faults: ['CONFLICT'],
    },
    async (c, { params }) => {
      const { sql } = c.env
      // A worker writes only while the run is RUNNING, so this stops it in any process.
      const changes = fragment`status = 'CANCELLED', finished_at = now()`
      const [cancelled] = await sql`
        with ${changeRun(changes, fragment`id = ${params.run_id} and ${inOrganization(c)}`)}
        select id from changed`
      const run = await loadRun(sql, params.run_id, inOrganization(c))
      if (!cancelled && run.status !== 'CANCELLED') {
        throw new Fault('CONFLICT', `The run has already ended: ${run.status}.`)
      }
      return ok(c, run)
    },
  ),
]
