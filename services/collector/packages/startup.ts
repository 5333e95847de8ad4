import { ConfigError } from '../../_kit/config.ts'
import { Fault } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Client } from '../../_kit/peer.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { libraryOf } from '../deps.ts'
import { changes } from './ask.ts'
import { apply } from './begin.ts'
import { packageOf } from './package.ts'
import type { SeedRun } from './run.ts'

/** The packages that come along, in the order that they build on each other. */
const shipped = [
  'platform_defaults',
  'knowledge_structured_seeds',
  'knowledge_system_resources',
  'knowledge_lay_words',
]

/** Seeds what startup is to seed. In production a failure ends the process, elsewhere it is told. */
export async function seedOnStartup(given: ServiceContext<Deps>): Promise<string | undefined> {
  const { kit } = given
  try {
    const packageIds = await wanted(given)
    if (packageIds.length === 0) return undefined
    const run = await seed(given, packageIds)
    const told = summary(run)
    if (run.status !== 'succeeded') throw new ConfigError(`Seeding ${run.status}: ${told}`)
    kit.log.info({ run: run.run_id, seeded: told }, 'seeded')
    return told
  } catch (thrown) {
    if (kit.config.ENVIRONMENT === 'production') throw thrown
    kit.log.warn(errorFields(thrown), 'not seeded; the service goes on without')
    return `not seeded: ${thrown instanceof Error ? thrown.message : 'unknown'}`
  }
}

async function wanted(given: ServiceContext<Deps>): Promise<string[]> {
  const { startup } = given
  if (!startup.resources) return startup.packageIds
  const there = await (await libraryOf(given)).ids()
  return [...new Set([...shipped.filter((id) => there.includes(id)), ...startup.packageIds])]
}

/** One replica seeds; the others wait for it, and find that nothing is left to do. */
async function seed(given: ServiceContext<Deps>, packageIds: string[]): Promise<SeedRun> {
  const until = Date.now() + given.startup.waitMs
  await targetsReady(given, packageIds, until)
  const request = { package_ids: packageIds, dry_run: false, force: false, expect_plan_hash: null }
  for (;;) {
    try {
      const options = { runId: newId(), requestedBy: 'startup' }
      return (await apply(given, request, options)).run
    } catch (thrown) {
      const busy = thrown instanceof Fault && thrown.code === 'APPLY_IN_PROGRESS'
      if (!busy || Date.now() > until) throw thrown
      await pause(500)
    }
  }
}

async function targetsReady(given: ServiceContext<Deps>, packageIds: string[], until: number) {
  const library = await libraryOf(given)
  const targets = new Set<'platform' | 'knowledge'>()
  for (const id of packageIds) {
    for (const { executor } of (await packageOf(library, id)).items) targets.add(executor.service)
  }
  await Promise.all([...targets].map((name) => ready(given[name], `${name}-service`, until)))
}

async function ready(client: Client, name: string, until: number) {
  for (;;) {
    try {
      const path = '/api/v1/internal/actuator/health/readiness'
      const response = await client.stream(path, { deadlineMs: 2_000 })
      await response.body?.cancel()
      return
    } catch (thrown) {
      if (Date.now() > until) throw new Error(`${name} is not ready`, { cause: thrown })
      await pause(500)
    }
  }
}

const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

/** One line for people: what became of each package. */
const summary = ({ packages }: SeedRun) =>
  packages
    .map(({ package_id, status, items }) => {
      const rows = items.reduce((sum, { counts }) => sum + changes(counts), 0)
      const faults = items.flatMap(({ item_id, error }) => (error ? `${item_id}: ${error}` : []))
      const detail = faults.length > 0 ? faults.join('; ') : rows > 0 ? `${rows} changes` : ''
      return `${package_id} ${status}${detail && ` (${detail})`}`
    })
    .join(', ')
