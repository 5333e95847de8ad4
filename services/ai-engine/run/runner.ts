import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { workbench } from '../graph/workbench.ts'
import { type Lease, release, takeOverExpired } from '../store/lease.ts'
import { drive, logAbandoned } from './drive.ts'

/** Drives a run in this process. A run that fails here is released for takeover. */
export async function driveRun(context: ServiceContext<Deps>, lease: Lease): Promise<void> {
  const { sql, kit, hub, limits, activeRuns } = context
  const deps = { sql, hub, limits, log: kit.log, metrics: kit.metrics }
  const stop = new AbortController()
  activeRuns.set(lease.run_id, stop)
  try {
    const graph = workbench({ ...context, skills: await context.skills() })
    await drive(deps, graph, lease, stop)
  } catch (thrown) {
    logAbandoned(deps, lease)(thrown)
    await release(sql, lease).catch(() => {})
  } finally {
    activeRuns.delete(lease.run_id)
  }
}

/**
 * Takes over runs whose lease has expired and returns their number. On workerd, where nothing outlives
 * a request, waits until they end.
 */
export async function takeOverExpiredRuns(context: ServiceContext<Deps>): Promise<number> {
  const leases = await takeOverExpired(context.sql, context.maxRuns - context.activeRuns.size)
  const runs = leases.map((lease) => driveRun(context, lease))
  for (const { thread_id: thread, run_id: run } of leases) {
    context.kit.log.info({ thread, run }, 'run taken over')
  }
  if (context.kit.runtime === 'workerd') await Promise.all(runs)
  return leases.length
}
