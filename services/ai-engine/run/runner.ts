import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { workbench } from '../graph/workbench.ts'
import { type Lease, recover, release } from '../store/lease.ts'
import { drive, undriven } from './drive.ts'

/** Drives a run in this process. One that breaks off here is given back, for `resumeLost` to find. */
export async function run(given: ServiceContext<Deps>, lease: Lease): Promise<void> {
  const { sql, kit, hub, limits, driven } = given
  const engine = { sql, hub, limits, log: kit.log, metrics: kit.metrics }
  driven.add(lease.run_id)
  try {
    const graph = workbench({ ...given, skills: await given.skills() })
    await drive(engine, graph, lease)
  } catch (thrown) {
    undriven(engine, lease)(thrown)
    await release(sql, lease).catch(() => {})
  } finally {
    driven.delete(lease.run_id)
  }
}

/** Takes over runs whose process has gone silent; says how many. Where nothing outlives a request, waits for them. */
export async function resumeLost(given: ServiceContext<Deps>): Promise<number> {
  const leases = await recover(given.sql, given.maxRuns - given.driven.size)
  const runs = leases.map((lease) => run(given, lease))
  for (const { thread_id: thread, run_id: run } of leases) {
    given.kit.log.info({ thread, run }, 'run taken over')
  }
  if (given.kit.runtime === 'workerd') await Promise.all(runs)
  return leases.length
}
