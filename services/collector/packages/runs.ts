import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { Id } from '../../_kit/fields.ts'
import type { Guard } from '../../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import { get } from '../deps.ts'
import { packageGuard } from '../permission.ts'
import { externalPath, path } from './packages.ts'
import { loadSeedRun, runView, SeedRun } from './run.ts'

const makeSeedRuns = (path: string, guard?: Guard) => [
  get(
    `${path}/runs`,
    {
      summary: 'List seed runs',
      ...(guard && { guard }),
      query: PageQuery.extend({ package_id: z.string().max(200).optional() }),
      responses: { 200: pageSchema(SeedRun) },
    },
    async (c, { query }) => {
      const { package_id } = query
      const some = package_id
        ? fragment`(select * from collector.seed_runs where package_ids ? ${package_id})`
        : fragment`collector.seed_runs`
      const from = fragment`${runView(some)} shown`
      const order = fragment`created_at desc, run_id desc`
      return ok(c, await selectPage(c.env.sql, SeedRun, query, { from, order }))
    },
  ),

  get(
    `${path}/runs/:run_id`,
    {
      summary: 'Get a seed run',
      description: 'Shows the progress of a run while it is applied.',
      ...(guard && { guard }),
      params: z.object({ run_id: Id }),
      responses: { 200: SeedRun },
    },
    async (c, { params }) => ok(c, await loadSeedRun(c.env.sql, params.run_id)),
  ),
]

export const seedRuns = [...makeSeedRuns(path), ...makeSeedRuns(externalPath, packageGuard)]
