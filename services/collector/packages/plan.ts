import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { makeSemaphore } from '../../_kit/semaphore.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { Counts } from './executors/executor.ts'
import { assertLeaseHeld, type Lease } from './lease.ts'
import type { Package } from './package.ts'
import type { RunItem } from './run.ts'
import {
  callTarget,
  changeCount,
  maxConcurrentItems,
  type TargetOutcome,
  type Trace,
} from './target.ts'

/** Options of a run. */
export interface RunOptions {
  dry_run: boolean
  force: boolean
  expect_plan_hash: string | null
}

interface PlannedPackage {
  opened: Package
  /** True if the last complete apply had the same checksum, so that nothing is done. */
  same: boolean
  items: Map<string, TargetOutcome>
}

const AppliedRow = z.object({
  checksum: z.string(),
  complete: z.boolean(),
  rows: z.record(z.string(), z.int()),
})

/**
 * Plans a run and stores the plan. The hash covers the packages, the counts of the targets and a digest of
 * the records they would replace or remove. For a target without digests, a change of a record that is
 * replaced in any case goes unnoticed.
 */
export async function plan(
  context: ServiceContext<Deps>,
  lease: Lease,
  options: RunOptions,
  packages: Package[],
  trace: Trace,
): Promise<string> {
  const planned: PlannedPackage[] = []
  for (const opened of packages) {
    await lease.check()
    planned.push(await planPackage(context, options, opened, trace))
  }
  const hash = await sha256Hex(canonicalJson(planned.map(hashInput)))
  await context.sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    for (const each of planned) await storePlan(sql, lease, options, each)
    await sql`update collector.seed_runs set plan_hash = ${hash} where id = ${lease.runId}`
  })
  return hash
}

async function planPackage(
  context: ServiceContext<Deps>,
  { dry_run, force, expect_plan_hash }: RunOptions,
  opened: Package,
  trace: Trace,
): Promise<PlannedPackage> {
  const { package_id, manifest, checksum } = opened
  const applied = await context.sql.row(AppliedRow)`
    select checksum, complete, rows from collector.applied_packages where package_id = ${package_id}`
  const same = !force && applied?.complete === true && applied.checksum === checksum
  const source = { package_id, version: manifest.version }
  // Without a request for the plan, an unchanged package causes no calls to its targets.
  const skipTargets = same && !dry_run && expect_plan_hash === null
  const withSlot = makeSemaphore(maxConcurrentItems)
  const outcomes = await Promise.all(
    opened.items.map((item) =>
      skipTargets
        ? { counts: Counts.parse({ unchanged: applied.rows[item.item_id] }), digest: '', ms: 0 }
        : withSlot(() => callTarget(context, item, { source, dryRun: true, trace })),
    ),
  )
  const items = new Map(opened.items.map(({ item_id }, index) => [item_id, outcomes[index]!]))
  return { opened, same, items }
}

/** Input of the plan hash. */
const hashInput = ({ opened, same, items }: PlannedPackage) => ({
  package_id: opened.package_id,
  version: opened.manifest.version,
  checksum: opened.checksum,
  same,
  items: opened.items.map(({ item_id, kind }) => {
    const outcome = items.get(item_id)!
    const says = 'error' in outcome ? 'failed' : { counts: outcome.counts, digest: outcome.digest }
    return { item_id, kind, says }
  }),
})

/**
 * Stores the plan. A dry run ends here; a real run needs it to report items that were interrupted after the
 * target committed.
 */
async function storePlan(sql: Sql, { runId }: Lease, options: RunOptions, planned: PlannedPackage) {
  const { opened, same, items } = planned
  const ends = options.dry_run || same
  const statuses = same ? new Map<string, RunItem['status']>() : projectStatuses(opened, items)
  const rows = opened.items.map(({ item_id }) => {
    const outcome = items.get(item_id)!
    const counts = 'error' in outcome ? Counts.parse({}) : outcome.counts
    const total = changeCount(counts) - counts.deleted + counts.unchanged
    return {
      item_id,
      planned: 'error' in outcome ? null : counts,
      counts: same ? Counts.parse({ unchanged: total }) : ends ? counts : Counts.parse({}),
      status: same ? 'unchanged' : ends ? statuses.get(item_id) : 'pending',
      error: ends && !same && 'error' in outcome ? outcome.error : null,
      duration_ms: ends ? outcome.ms : 0,
    }
  })
  await sql`
    update collector.seed_run_items item set planned = given.planned, counts = given.counts,
      status = given.status, error = given.error, duration_ms = given.duration_ms
    from jsonb_to_recordset(${json(rows)}) as given
      (item_id text, planned jsonb, counts jsonb, status text, error text, duration_ms int)
    where run_id = ${runId} and package_id = ${opened.package_id} and item.item_id = given.item_id`
  if (!ends) return
  const failed = [...statuses.values()].includes('failed')
  const status = same ? 'unchanged' : failed ? 'failed' : 'planned'
  await sql`
    update collector.seed_run_packages set status = ${status}
    where run_id = ${runId} and package_id = ${opened.package_id}`
}

/** Projects the status of each item. Items that depend on a failed item are skipped. */
function projectStatuses({ items }: Package, outcomes: PlannedPackage['items']) {
  const statuses = new Map<string, RunItem['status']>()
  const byId = new Map(items.map((item) => [item.item_id, item]))
  const projectStatus = (id: string): RunItem['status'] => {
    const cached = statuses.get(id)
    if (cached) return cached
    const outcome = outcomes.get(id)!
    const stopped = byId.get(id)!.depends_on.map(projectStatus).some(isStopped)
    const fails = 'error' in outcome
    const done = !fails && changeCount(outcome.counts) > 0 ? 'planned' : 'unchanged'
    const status = stopped ? 'skipped' : fails ? 'failed' : done
    statuses.set(id, status)
    return status
  }
  for (const { item_id } of items) projectStatus(item_id)
  return statuses
}

export const isStopped = (status: string) => status === 'failed' || status === 'skipped'
