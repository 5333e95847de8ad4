import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { requireLibrary } from '../deps.ts'
import { assertLeaseHeld, holdLease, type Lease, LeaseLost, takeOverLease } from './lease.ts'
import { openPackage, type Package } from './package.ts'
import { performPackage } from './perform.ts'
import { plan } from './plan.ts'
import type { Trace } from './target.ts'

const RunRow = z.object({
  dry_run: z.boolean(),
  force: z.boolean(),
  expect_plan_hash: z.string().nullable(),
  plan_hash: z.string().nullable(),
})

const PackageRow = z.object({ package_id: z.string(), checksum: z.string(), status: z.string() })

/**
 * Executes a run from its recorded state to its end, under the lease with the fencing token `token`.
 */
export async function executeRun(
  context: ServiceContext<Deps>,
  runId: string,
  token: number,
  trace?: Trace,
) {
  const { sql } = context
  const lease = holdLease(context, runId, token)
  try {
    const run = await sql.row(RunRow)`
      select dry_run, force, expect_plan_hash, plan_hash from collector.seed_runs where id = ${runId}`
    const rows = await sql.rows(PackageRow)`
      select package_id, checksum, status from collector.seed_run_packages
      where run_id = ${runId} order by position`
    const packages: Package[] = []
    for (const row of rows.filter(({ status }) => status === 'pending')) {
      const opened = await reopenPackage(context, row)
      if (opened) packages.push(opened)
      else await failPackage(sql, lease, row.package_id)
    }
    if (run!.plan_hash === null) {
      const hash = await plan(context, lease, run!, packages, trace)
      const expected = run!.expect_plan_hash
      if (expected !== null && expected !== hash) return await rejectPlan(sql, lease, hash)
    }
    for (const opened of run!.dry_run ? [] : await loadPending(sql, runId, packages)) {
      await performPackage(context, lease, opened, trace)
    }
    await finishRun(sql, lease)
  } finally {
    lease.release()
  }
}

/** Opens a package again. Returns null if its files changed since the run started. */
async function reopenPackage(context: ServiceContext<Deps>, row: z.output<typeof PackageRow>) {
  try {
    const opened = await openPackage(await requireLibrary(context), row.package_id)
    return opened.checksum === row.checksum ? opened : null
  } catch (thrown) {
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

const failPackage = (sql: Sql, lease: Lease, packageId: string) =>
  sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    const error = 'The package changed after the run started. Apply it again.'
    await sql`
      update collector.seed_run_items set status = 'failed', error = ${error}
      where run_id = ${lease.runId} and package_id = ${packageId} and status in ('pending', 'running')`
    await sql`
      update collector.seed_run_packages set status = 'failed'
      where run_id = ${lease.runId} and package_id = ${packageId}`
  })

/** Packages that the plan left pending. */
async function loadPending(sql: Sql, runId: string, packages: Package[]) {
  const rows = await sql.rows(PackageRow)`
    select package_id, checksum, status from collector.seed_run_packages where run_id = ${runId}`
  const status = new Map(rows.map((row) => [row.package_id, row.status]))
  return packages.filter(({ package_id }) => status.get(package_id) === 'pending')
}

const rejectPlan = (sql: Sql, lease: Lease, hash: string) =>
  sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    const message = 'The plan has changed since the dry run. Run dry_run again.'
    const refusal = { code: 'PLAN_MOVED', message, data: { plan_hash: hash } }
    await sql`
      update collector.seed_run_packages set status = 'failed'
      where run_id = ${lease.runId} and status = 'pending'`
    await sql`
      update collector.seed_run_items set status = 'skipped'
      where run_id = ${lease.runId} and status = 'pending'`
    await endRun(sql, lease, 'failed', refusal)
  })

const Status = z.object({ status: z.string() })

const finishRun = (sql: Sql, lease: Lease) =>
  sql.transaction(async (sql) => {
    await assertLeaseHeld(sql, lease)
    const rows = await sql.rows(Status)`
      select status from collector.seed_run_packages where run_id = ${lease.runId}`
    const failed = rows.filter(({ status }) => status === 'failed').length
    await endRun(
      sql,
      lease,
      failed === 0 ? 'succeeded' : failed < rows.length ? 'partial' : 'failed',
    )
  })

async function endRun(sql: Sql, { runId }: Lease, status: string, refusal?: object) {
  await sql`delete from collector.package_leases where run_id = ${runId}`
  await sql`
    update collector.seed_runs set status = ${status}, finished_at = now(),
      refusal = ${refusal ? json(refusal) : null}
    where id = ${runId}`
}

/** Takes over and finishes a run whose lease expired. Returns false if there is none. */
export async function resumeRun(context: ServiceContext<Deps>, runId: string): Promise<boolean> {
  const token = await takeOverLease(context.sql, runId)
  if (token === undefined) return false
  context.kit.log.info({ run: runId }, 'seed run resumed')
  await executeRun(context, runId, token).catch((thrown) => {
    if (!(thrown instanceof LeaseLost)) throw thrown
  })
  return true
}

const ExpiredRunRow = z.object({ id: z.string() })

/** Takes over runs whose lease expired. Returns their number. */
export async function takeOverExpiredRuns(context: ServiceContext<Deps>): Promise<number> {
  if (!context.library) return 0
  const runs = await context.sql.rows(ExpiredRunRow)`
    select id from collector.seed_runs
    where status = 'running' and lease_until < now() order by created_at limit 4`
  let resumed = 0
  for (const { id } of runs) if (await resumeRun(context, id)) resumed++
  return resumed
}
