import { ConfigError } from '../../_kit/config.ts'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Client } from '../../_kit/peer.ts'
import type { Deps } from '../deps.ts'
import { requireLibrary } from '../deps.ts'
import { applyPackages } from './apply-packages.ts'
import { openPackage } from './package.ts'
import type { SeedRun } from './run.ts'
import { changeCount } from './target.ts'

/** Bundled packages in dependency order. */
const bundledPackages = [
  'platform_defaults',
  'knowledge_structured_seeds',
  'knowledge_system_resources',
  'knowledge_lay_words',
]

/**
 * Applies the startup packages. In production a failure terminates the process; elsewhere it is logged.
 */
export async function seedOnStartup(context: ServiceContext<Deps>): Promise<string | undefined> {
  const { kit } = context
  try {
    const packageIds = await startupPackageIds(context)
    if (packageIds.length === 0) return undefined
    const run = await seed(context, packageIds)
    const summary = summarize(run)
    if (run.status !== 'succeeded') throw new ConfigError(`Seeding ${run.status}: ${summary}`)
    kit.log.info({ run: run.run_id, seeded: summary }, 'seeded')
    return summary
  } catch (thrown) {
    if (kit.config.ENVIRONMENT === 'production') throw thrown
    kit.log.warn(errorFields(thrown), 'startup seeding failed, continuing without')
    return `not seeded: ${thrown instanceof Error ? thrown.message : 'unknown'}`
  }
}

async function startupPackageIds(context: ServiceContext<Deps>): Promise<string[]> {
  const { startup } = context
  if (!startup.resources) return startup.packageIds
  const available = await (await requireLibrary(context)).ids()
  return [
    ...new Set([...bundledPackages.filter((id) => available.includes(id)), ...startup.packageIds]),
  ]
}

/** One replica applies the packages. The others wait and find them unchanged. */
async function seed(context: ServiceContext<Deps>, packageIds: string[]): Promise<SeedRun> {
  const deadline = Date.now() + context.startup.waitMs
  await waitForTargets(context, packageIds, deadline)
  const request = { package_ids: packageIds, dry_run: false, force: false, expect_plan_hash: null }
  for (;;) {
    try {
      const options = { runId: newId(), requestedBy: 'startup' }
      return (await applyPackages(context, request, options)).run
    } catch (thrown) {
      const busy = thrown instanceof Fault && thrown.code === 'APPLY_IN_PROGRESS'
      if (!busy || Date.now() > deadline) throw thrown
      await pause(500)
    }
  }
}

async function waitForTargets(
  context: ServiceContext<Deps>,
  packageIds: string[],
  deadline: number,
) {
  const library = await requireLibrary(context)
  const targets = new Set<'platform' | 'knowledge'>()
  for (const id of packageIds) {
    for (const { executor } of (await openPackage(library, id)).items) targets.add(executor.service)
  }
  await Promise.all(
    [...targets].map((name) => waitUntilReady(context[name], `${name}-service`, deadline)),
  )
}

async function waitUntilReady(client: Client, name: string, deadline: number) {
  for (;;) {
    try {
      const path = '/api/v1/internal/actuator/health/readiness'
      const response = await client.stream(path, { deadlineMs: 2_000 })
      await response.body?.cancel()
      return
    } catch (thrown) {
      if (Date.now() > deadline) throw new Error(`${name} is not ready`, { cause: thrown })
      await pause(500)
    }
  }
}

const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

/** Formats the result of each package in one line. */
const summarize = ({ packages }: SeedRun) =>
  packages
    .map(({ package_id, status, items }) => {
      const rows = items.reduce((sum, { counts }) => sum + changeCount(counts), 0)
      const faults = items.flatMap(({ item_id, error }) => (error ? `${item_id}: ${error}` : []))
      const detail = faults.length > 0 ? faults.join('; ') : rows > 0 ? `${rows} changes` : ''
      return `${package_id} ${status}${detail && ` (${detail})`}`
    })
    .join(', ')
