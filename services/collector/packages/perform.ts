import * as z from 'zod'
import type { ServiceContext } from '../../_kit/service.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { askTarget, atOnce, changes, rowsOf, type Trace, turns } from './ask.ts'
import { Counts } from './executors/executor.ts'
import type { ReadyItem } from './items.ts'
import { held, type Lease, LeaseLost } from './lease.ts'
import type { Package } from './package.ts'
import { isStopped } from './plan.ts'
import type { RunItem } from './run.ts'

const Item = z.object({
  item_id: z.string(),
  status: z.string(),
  planned: Counts.nullable(),
  counts: Counts,
})
type Item = z.output<typeof Item>

/** Carries out a package from where it stands: items in their order, independent ones side by side. */
export async function perform(
  given: ServiceContext<Deps>,
  lease: Lease,
  opened: Package,
  trace: Trace,
) {
  const { sql } = given
  const { package_id } = opened
  const rows = await sql.rows(Item)`
    select item_id, status, planned, counts from collector.seed_run_items
    where run_id = ${lease.runId} and package_id = ${package_id}`
  const before = new Map(rows.map((row) => [row.item_id, row]))
  await unfinished(sql, lease, opened)
  const turn = turns(atOnce)
  const under = new Map<string, Promise<Item>>()
  const done = (item: ReadyItem): Promise<Item> => {
    const known = under.get(item.item_id)
    if (known) return known
    const doing = one(item)
    under.set(item.item_id, doing)
    return doing
  }
  const byId = new Map(opened.items.map((item) => [item.item_id, item]))

  async function one(item: ReadyItem): Promise<Item> {
    const row = before.get(item.item_id)!
    const needs = await Promise.all(item.depends_on.map((need) => done(byId.get(need)!)))
    if (row.status !== 'pending' && row.status !== 'running') return row
    if (needs.some(({ status }) => isStopped(status))) {
      return write(sql, lease, package_id, { ...row, status: 'skipped' }, null, 0)
    }
    return turn(() => carryOut(given, lease, opened, item, row, trace))
  }

  const ended = await Promise.allSettled(opened.items.map(done))
  const broken = ended.find((each) => each.status === 'rejected')
  if (broken) throw broken.reason
  const items = ended.map((each) => (each as PromiseFulfilledResult<Item>).value)
  await finishPackage(sql, lease, opened, items)
}

async function carryOut(
  given: ServiceContext<Deps>,
  lease: Lease,
  { package_id, manifest }: Package,
  item: ReadyItem,
  row: Item,
  trace: Trace,
): Promise<Item> {
  // Whoever lost the run asks nothing of the targets any more.
  await lease.check()
  const begun = row.status === 'running'
  await write(given.sql, lease, package_id, { ...row, status: 'running' }, null, 0)
  const source = { package_id, version: manifest.version }
  const outcome = await askTarget(given, item, { source, dryRun: false, trace })
  lease.signal.throwIfAborted()
  if ('error' in outcome) {
    const failed = { ...row, status: 'failed' }
    return write(given.sql, lease, package_id, failed, outcome.error, outcome.ms)
  }
  // Asked before it was interrupted, the target had done it all already: what it did was the plan.
  const again = begun && row.planned !== null && changes(outcome.counts) === 0
  const counts = again ? row.planned! : outcome.counts
  const status: RunItem['status'] = changes(counts) > 0 ? 'applied' : 'unchanged'
  return write(given.sql, lease, package_id, { ...row, status, counts }, null, outcome.ms)
}

async function write(
  sql: Sql,
  { runId, token }: Lease,
  packageId: string,
  item: Item,
  error: string | null,
  ms: number,
): Promise<Item> {
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

/** From here on until it ends well, the package is not as it was applied before. */
const unfinished = (sql: Sql, lease: Lease, { package_id }: Package) =>
  sql.transaction(async (sql) => {
    await held(sql, lease)
    await sql`update collector.applied_packages set whole = false where package_id = ${package_id}`
  })

const finishPackage = (sql: Sql, lease: Lease, opened: Package, items: Item[]) =>
  sql.transaction(async (sql) => {
    await held(sql, lease)
    const failed = items.some(({ status }) => isStopped(status))
    const { package_id, manifest, checksum } = opened
    await sql`
      update collector.seed_run_packages set status = ${failed ? 'failed' : 'applied'}
      where run_id = ${lease.runId} and package_id = ${package_id}`
    if (failed) return
    const rows = Object.fromEntries(items.map(({ item_id, counts }) => [item_id, rowsOf(counts)]))
    await sql`
      insert into collector.applied_packages (package_id, version, checksum, whole, rows, run_id)
      values (${package_id}, ${manifest.version}, ${checksum}, true, ${json(rows)}, ${lease.runId})
      on conflict (package_id) do update set version = excluded.version,
        checksum = excluded.checksum, whole = true, rows = excluded.rows,
        run_id = excluded.run_id, applied_at = now()`
  })
