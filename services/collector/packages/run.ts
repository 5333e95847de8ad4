import * as z from 'zod'
import { notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import { Counts } from './executors/executor.ts'

const ItemStatus = z.enum([
  ...(['pending', 'running'] as const),
  ...(['applied', 'unchanged', 'planned', 'skipped', 'failed'] as const),
])

export const RunItem = z.object({
  item_id: z.string(),
  kind: z.string(),
  status: ItemStatus,
  counts: Counts.required(),
  error: z.string().nullable(),
  duration_ms: z.int(),
})
export type RunItem = z.output<typeof RunItem>

const RunPackage = z.object({
  package_id: z.string(),
  version: z.string(),
  checksum: z.string(),
  status: z.enum(['pending', 'applied', 'unchanged', 'planned', 'failed']),
  items: z.array(RunItem),
})

export const SeedRun = z
  .object({
    run_id: Id,
    dry_run: z.boolean(),
    plan_hash: z
      .string()
      .nullable()
      .describe(
        'Hash over the packages and the changes planned by their targets. Null until planned.',
      ),
    status: z.enum(['running', 'succeeded', 'failed', 'partial']),
    packages: z.array(RunPackage),
    force: z.boolean(),
    requested_by: z.string(),
    created_at: Time,
    finished_at: Time.nullable(),
  })
  .meta({ id: 'SeedRun' })
export type SeedRun = z.output<typeof SeedRun>

/** View of seed runs with their packages and items. `run` selects the runs. */
export const runView = (run: SqlFragment) => fragment`(
  select run.id as run_id, run.dry_run, run.plan_hash, run.status, run.force, run.requested_by,
    run.created_at, run.finished_at, coalesce((
      select jsonb_agg(jsonb_build_object(
        'package_id', package.package_id, 'version', package.version,
        'checksum', package.checksum, 'status', package.status, 'items', coalesce((
          select jsonb_agg(jsonb_build_object(
            'item_id', item.item_id, 'kind', item.kind, 'status', item.status,
            'counts', item.counts, 'error', item.error, 'duration_ms', item.duration_ms
          ) order by item.position)
          from collector.seed_run_items item
          where item.run_id = run.id and item.package_id = package.package_id), '[]')
      ) order by package.position)
      from collector.seed_run_packages package where package.run_id = run.id), '[]') as packages
  from ${run} run)`

export async function loadSeedRun(sql: Sql, runId: string): Promise<SeedRun> {
  const one = fragment`(select * from collector.seed_runs where id = ${runId})`
  const run = await sql.row(SeedRun)`select * from ${runView(one)} shown`
  if (!run) throw notFound(`run ${runId}`)
  return run
}
