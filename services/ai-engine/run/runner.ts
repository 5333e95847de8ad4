import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { workbench } from '../graph/workbench.ts'
import { type Lease, release, takeOverExpired } from '../store/lease.ts'
import { drive, logAbandoned } from './drive.ts'

/** Drives a run in this process. One that breaks off here is given back, for `resumeLost` to find. */
export async function driveRun(context: ServiceContext<Deps>, lease: Lease): Promise<void> {
  const { sql, kit, hub, limits, activeRuns: driven } = context
  const engine = { sql, hub, limits, log: kit.log, metrics: kit.metrics }
  driven.add(lease.run_id)
  try {
    const graph = workbench({ ...context, skills: await context.skills() })
    await drive(engine, graph, lease)
  } catch (thrown) {
    logAbandoned(engine, lease)(thrown)
    await release(sql, lease).catch(() => {})
  } finally {
    driven.delete(lease.run_id)
  }
}

/** Takes over runs whose process has gone silent; says how many. Where nothing outlives a request, waits for them. */
export async function takeOverExpiredRuns(context: ServiceContext<Deps>): Promise<number> {
  const leases = await takeOverExpired(context.sql, context.maxRuns - context.activeRuns.size)
  const runs = leases.map((lease) => driveRun(context, lease))
  for (const { thread_id: thread, run_id: run } of leases) {
    context.kit.log.info({ thread, run }, 'run taken over')
  }
  if (context.kit.runtime === 'workerd') await Promise.all(runs)
  return leases.length
}
