import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { makeSemaphore } from '../../_kit/semaphore.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { Counts } from './executors/executor.ts'
import type { ReadyItem } from './items.ts'
import { assertLeaseHeld, type Lease, LeaseLost } from './lease.ts'
import type { Package } from './package.ts'
import { isStopped } from './plan.ts'
import type { RunItem } from './run.ts'
import { callTarget, changeCount, maxConcurrentItems, rowCount, type Trace } from './target.ts'

const ItemRow = z.object({
  item_id: z.string(),
  status: z.string(),
  planned: Counts.nullable(),
  counts: Counts,
})
type ItemRow = z.output<typeof ItemRow>

/**
 * Applies a package from its recorded state: items in dependency order, independent items concurrently.
 */
export async function performPackage(
  context: ServiceContext<Deps>,
  lease: Lease,
  opened: Package,
  trace: Trace,
) {
  const { sql } = context
  const { package_id } = opened
  const rows = await sql.rows(ItemRow)`
    select item_id, status, planned, counts from collector.seed_run_items
    where run_id = ${lease.runId} and package_id = ${package_id}`
  const before = new Map(rows.map((row) => [row.item_id, row]))
  await markIncomplete(sql, lease, opened)
  const withSlot = makeSemaphore(maxConcurrentItems)
  const running = new Map<string, Promise<ItemRow>>()
  const performOnce = (item: ReadyItem): Promise<ItemRow> => {
    const existing = running.get(item.item_id)
    if (existing) return existing
    const promise = performItem(item)
    running.set(item.item_id, promise)
    return promise
  }
  const byId = new Map(opened.items.map((item) => [item.item_id, item]))

  async function performItem(item: ReadyItem): Promise<ItemRow> {
    const row = before.get(item.item_id)!
    const needs = await Promise.all(item.depends_on.map((need) => performOnce(byId.get(need)!)))
    if (row.status !== 'pending' && row.status !== 'running') return row
    if (needs.some(({ status }) => isStopped(status))) {
      return writeItem(sql, lease, package_id, { ...row, status: 'skipped' }, null, 0)
    }
    return withSlot(() => applyItem(context, lease, opened, item, row, trace))
  }

  const results = await Promise.allSettled(opened.items.map(performOnce))
  const rejected = results.find((each) => each.status === 'rejected')
  if (rejected) throw rejected.reason
  const items = results.map((each) => (each as PromiseFulfilledResult<ItemRow>).value)
  await finishPackage(sql, lease, opened, items)
}

const Requester = z.object({ requested_by: z.string() })

async function applyItem(
  context: ServiceContext<Deps>,
  lease: Lease,
  { package_id, manifest }: Package,
  item: ReadyItem,
  row: ItemRow,
  trace: Trace,
): Promise<ItemRow> {
  // A process that lost the lease must not call targets.
  await lease.check()
  const interrupted = row.status === 'running'
  await writeItem(context.sql, lease, package_id, { ...row, status: 'running' }, null, 0)
  const source = { package_id, version: manifest.version }
  const run = await context.sql.row(Requester)`
    select requested_by from collector.seed_runs where id = ${lease.runId}`
  const actor = run!.requested_by
  const outcome = await callTarget(context, item, { source, dryRun: false, trace, actor })
  lease.signal.throwIfAborted()
  if ('error' in outcome) {
    const failed = { ...row, status: 'failed' }
    return writeItem(context.sql, lease, package_id, failed, outcome.error, outcome.ms)
  }
  // The target committed before the interruption, so its changes are those of the plan.
  const alreadyApplied = interrupted && row.planned !== null && changeCount(outcome.counts) === 0
  const counts = alreadyApplied ? row.planned! : outcome.counts
  const status: RunItem['status'] = changeCount(counts) > 0 ? 'applied' : 'unchanged'
  const progress = { package: package_id, item: row.item_id, status, changes: changeCount(counts) }
  context.kit.log.info({ run: lease.runId, ...progress, ms: outcome.ms }, 'seed item finished')
  return writeItem(context.sql, lease, package_id, { ...row, status, counts }, null, outcome.ms)
}

async function writeItem(
  sql: Sql,
  { runId, token }: Lease,
  packageId: string,
  item: ItemRow,
  error: string | null,
  ms: number,
): Promise<ItemRow> {
  const [written] = await sql`
    update collector.seed_run_items item
    set status = ${item.status}, counts = ${json(item.counts)}, error = ${error}, duration_ms = ${ms}
    from collector.seed_runs run
    where item.run_id = ${runId} and item.package_id = ${packageId}
      and item.item_id = ${item.item_id}
      and run.id = ${runId} and run.token = ${token} and run.status = 'running'
    returning item.item_id`
  if (!written) throw new LeaseLost('another process took the run over')
  return item
}

/** Marks the last apply as incomplete until this one succeeds. */
const markIncomplete = (sql: Sql, lease: Lease, { package_id }: Package) =>
  sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    await sql`update collector.applied_packages set complete = false where package_id = ${package_id}`
  })

const finishPackage = (sql: Sql, lease: Lease, opened: Package, items: ItemRow[]) =>
  sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    const failed = items.some(({ status }) => isStopped(status))
    const { package_id, manifest, checksum } = opened
    await sql`
      update collector.seed_run_packages set status = ${failed ? 'failed' : 'applied'}
      where run_id = ${lease.runId} and package_id = ${package_id}`
    if (failed) return
    const rows = Object.fromEntries(items.map(({ item_id, counts }) => [item_id, rowCount(counts)]))
    await sql`
      insert into collector.applied_packages (package_id, version, checksum, complete, rows, run_id)
      values (${package_id}, ${manifest.version}, ${checksum}, true, ${json(rows)}, ${lease.runId})
      on conflict (package_id) do update set version = excluded.version,
        checksum = excluded.checksum, complete = true, rows = excluded.rows,
        run_id = excluded.run_id, applied_at = now()`
  })
