import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault, faultFrom } from '../../_kit/fault.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { type Deps, requireLibrary } from '../deps.ts'
import { executeRun, resumeRun } from './execute.ts'
import { LeaseLost, leaseMs } from './lease.ts'
import { openPackage, type Package } from './package.ts'
import { loadSeedRun, type SeedRun } from './run.ts'
import type { Trace } from './target.ts'

export interface ApplyRequest {
  package_ids: string[]
  dry_run: boolean
  force: boolean
  expect_plan_hash: string | null
}

interface ApplyOptions {
  /** A repeated id joins the existing run. */
  runId?: string | undefined
  requestedBy: string
  trace?: Trace
}

/** Applies packages in order, or joins the run with the same id (`repeated`). */
export async function applyPackages(
  context: ServiceContext<Deps>,
  request: ApplyRequest,
  options: ApplyOptions,
) {
  const { sql } = context
  const uniqueRequest = { ...request, package_ids: [...new Set(request.package_ids)] }
  const hash = await sha256Hex(canonicalJson(uniqueRequest))
  const runId = options.runId ?? newId()
  if (options.runId && (await findRun(sql, runId, hash))) return waitForRun(context, runId)

  const library = await requireLibrary(context)
  const packages: Package[] = []
  for (const id of uniqueRequest.package_ids) packages.push(await openPackage(library, id))
  const created = await createRun(
    context,
    runId,
    hash,
    uniqueRequest,
    packages,
    options.requestedBy,
  )
  if (!created) {
    await findRun(sql, runId, hash)
    return waitForRun(context, runId)
  }
  try {
    await executeRun(context, runId, 1, options.trace)
  } catch (thrown) {
    // This process was paused too long and another one took over.
    if (thrown instanceof LeaseLost)
      return { ...(await waitForRun(context, runId)), repeated: false }
    throw thrown
  }
  return { run: await loadResult(sql, runId), repeated: false }
}

const RequestHashRow = z.object({ request_hash: z.string() })

async function findRun(sql: Sql, runId: string, hash: string): Promise<boolean> {
  const run = await sql.row(
    RequestHashRow,
  )`select request_hash from collector.seed_runs where id = ${runId}`
  if (run && run.request_hash !== hash) {
    throw new Fault('CONFLICT', `Run ${runId} already exists with a different request body.`)
  }
  return run !== undefined
}

/** Creates the run and leases its packages. Returns false if the run already exists. */
async function createRun(
  context: ServiceContext<Deps>,
  runId: string,
  hash: string,
  request: ApplyRequest,
  packages: Package[],
  requestedBy: string,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await context.sql.transaction(async (sql) => {
      const [run] = await sql`
        insert into collector.seed_runs
          (id, request_hash, package_ids, dry_run, force, expect_plan_hash, requested_by, status,
           lease_until)
        values (${runId}, ${hash}, ${json(request.package_ids)}, ${request.dry_run},
          ${request.force}, ${request.expect_plan_hash}, ${requestedBy}, 'running',
          now() + ${leaseMs} * interval '1 millisecond')
        on conflict (id) do nothing returning id`
      if (!run) return { fresh: false }
      if (!request.dry_run && !(await leasePackages(sql, runId, request.package_ids))) {
        const holder = await findHolder(sql, runId, request.package_ids)
        await sql`delete from collector.seed_runs where id = ${runId}`
        return { holder }
      }
      await insertPackagesAndItems(sql, runId, packages)
      return { fresh: true }
    })
    if (outcome.fresh !== undefined) return outcome.fresh
    if (!outcome.holder) continue
    // The holder may have crashed. Its run is finished first.
    const resumed = await resumeRun(context, outcome.holder.run_id)
    if ((!resumed && outcome.holder.alive) || attempt >= 5) throw applyInProgress(outcome.holder)
  }
}

const LeaseHolder = z.object({ package_id: z.string(), run_id: z.string(), alive: z.boolean() })

/** Leases packages in sorted order to avoid deadlocks between runs. */
async function leasePackages(sql: Sql, runId: string, packageIds: string[]): Promise<boolean> {
  const leased = await sql`
    insert into collector.package_leases (package_id, run_id)
    select unnest(${textArray([...packageIds].sort())}), ${runId}::uuid
    on conflict (package_id) do nothing returning package_id`
  return leased.length === packageIds.length
}

const findHolder = (sql: Sql, runId: string, packageIds: string[]) =>
  sql.row(LeaseHolder)`
    select lease.package_id, lease.run_id, run.lease_until >= now() as alive
    from collector.package_leases lease join collector.seed_runs run on run.id = lease.run_id
    where lease.package_id = any(${textArray(packageIds)}) and lease.run_id <> ${runId} limit 1`

const applyInProgress = ({ package_id, run_id }: { package_id: string; run_id: string }) =>
  new Fault('CONFLICT', `${package_id} is being applied by run ${run_id}. Retry later.`, {
    code: 'APPLY_IN_PROGRESS',
    data: { package_id, run_id },
  })

async function insertPackagesAndItems(sql: Sql, runId: string, packages: Package[]) {
  const rows = packages.map(({ package_id, manifest, checksum }, position) => ({
    ...{ position, package_id, checksum, version: manifest.version },
  }))
  await sql`
    insert into collector.seed_run_packages (run_id, position, package_id, version, checksum, status)
    select ${runId}::uuid, position, package_id, version, checksum, 'pending'
    from jsonb_to_recordset(${json(rows)})
      as given (position int, package_id text, version text, checksum text)`
  const items = packages.flatMap(({ package_id, items }) =>
    items.map(({ item_id, kind }, position) => ({ package_id, position, item_id, kind })),
  )
  await sql`
    insert into collector.seed_run_items (run_id, package_id, position, item_id, kind, status)
    select ${runId}::uuid, package_id, position, item_id, kind, 'pending'
    from jsonb_to_recordset(${json(items)})
      as given (package_id text, position int, item_id text, kind text)`
}

const RunResultRow = z.object({
  status: z.string(),
  refusal: z.object({ code: z.string(), message: z.string(), data: z.unknown() }).nullable(),
})

/** Loads the result of a run. Throws the fault of a rejected run. */
async function loadResult(sql: Sql, runId: string): Promise<SeedRun> {
  const row = await sql.row(RunResultRow)`
    select status, refusal from collector.seed_runs where id = ${runId}`
  if (row?.refusal) throw faultFrom(409, row.refusal.code, row.refusal.message, row.refusal.data)
  return loadSeedRun(sql, runId)
}

/** Waits for a run that another request started. Takes it over if its process crashed. */
async function waitForRun(context: ServiceContext<Deps>, runId: string) {
  const until = Date.now() + context.joinTimeoutMs
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    const run = await loadResult(context.sql, runId)
    if (run.status !== 'running') return { run, repeated: true }
    if (await resumeRun(context, runId)) continue
    if (Date.now() > until) {
      throw applyInProgress({
        package_id: run.packages[0]?.package_id ?? 'A package',
        run_id: runId,
      })
    }
    await new Promise((go) => setTimeout(go, pause))
  }
}
