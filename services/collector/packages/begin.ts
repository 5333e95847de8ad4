import * as z from 'zod'
import { Fault, faultFrom } from '../../_kit/fault.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { type Deps, libraryOf } from '../deps.ts'
import type { Trace } from './ask.ts'
import { execute, resume } from './execute.ts'
import { LeaseLost, leaseMs } from './lease.ts'
import { type Package, packageOf } from './package.ts'
import { type SeedRun, seedRun } from './run.ts'

export interface Request {
  package_ids: string[]
  dry_run: boolean
  force: boolean
  expect_plan_hash: string | null
}

interface Options {
  /** The same id again is the same run. */
  runId?: string | undefined
  requestedBy: string
  trace?: Trace
}

/** Applies packages in their order, or joins the run of the same id. `repeated` says which. */
export async function apply(given: ServiceContext<Deps>, request: Request, options: Options) {
  const { sql } = given
  const asked = { ...request, package_ids: [...new Set(request.package_ids)] }
  const hash = await sha256Hex(canonicalJson(asked))
  const runId = options.runId ?? newId()
  if (options.runId && (await known(sql, runId, hash))) return joined(given, runId)

  const library = await libraryOf(given)
  const packages: Package[] = []
  for (const id of asked.package_ids) packages.push(await packageOf(library, id))
  const fresh = await begun(given, runId, hash, asked, packages, options.requestedBy)
  if (!fresh) {
    await known(sql, runId, hash)
    return joined(given, runId)
  }
  try {
    await execute(given, runId, 1, options.trace)
  } catch (thrown) {
    // A process that stood still for too long: another has gone on.
    if (thrown instanceof LeaseLost) return { ...(await joined(given, runId)), repeated: false }
    throw thrown
  }
  return { run: await ended(sql, runId), repeated: false }
}

const Known = z.object({ request_hash: z.string() })

async function known(sql: Sql, runId: string, hash: string): Promise<boolean> {
  const run = await sql.row(Known)`select request_hash from collector.seed_runs where id = ${runId}`
  if (run && run.request_hash !== hash) {
    throw new Fault('CONFLICT', `The run ${runId} was asked for before, with another body.`)
  }
  return run !== undefined
}

/** Makes the run and takes its packages; false where a run of this id is there. */
async function begun(
  given: ServiceContext<Deps>,
  runId: string,
  hash: string,
  request: Request,
  packages: Package[],
  requestedBy: string,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const made = await given.sql.transaction(async (sql) => {
      const [run] = await sql`
        insert into collector.seed_runs
          (id, request_hash, package_ids, dry_run, force, expect_plan_hash, requested_by, status,
           lease_until)
        values (${runId}, ${hash}, ${json(request.package_ids)}, ${request.dry_run},
          ${request.force}, ${request.expect_plan_hash}, ${requestedBy}, 'running',
          now() + ${leaseMs} * interval '1 millisecond')
        on conflict (id) do nothing returning id`
      if (!run) return { fresh: false }
      if (!request.dry_run && !(await takePackages(sql, runId, request.package_ids))) {
        const holder = await holderOf(sql, runId, request.package_ids)
        await sql`delete from collector.seed_runs where id = ${runId}`
        return { holder }
      }
      await insertParts(sql, runId, packages)
      return { fresh: true }
    })
    if (made.fresh !== undefined) return made.fresh
    if (!made.holder) continue
    // The holder's process may be gone: what it began comes to its end first.
    const resumed = await resume(given, made.holder.run_id)
    if ((!resumed && made.holder.alive) || attempt >= 5) throw inProgress(made.holder)
  }
}

const Holder = z.object({ package_id: z.string(), run_id: z.string(), alive: z.boolean() })

/** In one order, so that two runs never wait for each other. */
async function takePackages(sql: Sql, runId: string, packageIds: string[]): Promise<boolean> {
  const taken = await sql`
    insert into collector.package_leases (package_id, run_id)
    select unnest(${textArray([...packageIds].sort())}), ${runId}::uuid
    on conflict (package_id) do nothing returning package_id`
  return taken.length === packageIds.length
}

const holderOf = (sql: Sql, runId: string, packageIds: string[]) =>
  sql.row(Holder)`
    select lease.package_id, lease.run_id, run.lease_until >= now() as alive
    from collector.package_leases lease join collector.seed_runs run on run.id = lease.run_id
    where lease.package_id = any(${textArray(packageIds)}) and lease.run_id <> ${runId} limit 1`

const inProgress = ({ package_id, run_id }: { package_id: string; run_id: string }) =>
  new Fault('CONFLICT', `${package_id} is being applied by the run ${run_id}; try again later.`, {
    code: 'APPLY_IN_PROGRESS',
    data: { package_id, run_id },
  })

async function insertParts(sql: Sql, runId: string, packages: Package[]) {
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

const Ended = z.object({
  status: z.string(),
  refusal: z.object({ code: z.string(), message: z.string(), data: z.unknown() }).nullable(),
})

/** The result of a run, or the fault it was refused with. */
async function ended(sql: Sql, runId: string): Promise<SeedRun> {
  const row = await sql.row(Ended)`
    select status, refusal from collector.seed_runs where id = ${runId}`
  if (row?.refusal) throw faultFrom(409, row.refusal.code, row.refusal.message, row.refusal.data)
  return seedRun(sql, runId)
}

/** Waits for a run that another request began, and goes on with it where that one died. */
async function joined(given: ServiceContext<Deps>, runId: string) {
  const until = Date.now() + given.patienceMs
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    const run = await ended(given.sql, runId)
    if (run.status !== 'running') return { run, repeated: true }
    if (await resume(given, runId)) continue
    if (Date.now() > until) {
      throw inProgress({ package_id: run.packages[0]?.package_id ?? 'A package', run_id: runId })
    }
    await new Promise((go) => setTimeout(go, pause))
  }
}
