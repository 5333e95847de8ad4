import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'
import { resumeInput } from '../graph/resume-input.ts'
import { buildExpiredInput, routingTable } from '../graph/state.ts'
import { supportedGraphVersions } from '../graph/versions.ts'
import { workbench } from '../graph/workbench.ts'
import { expireCards } from '../store/expire-cards.ts'
import { type Lease, queue, release, takeOverExpired } from '../store/lease.ts'
import { remindDueCards } from '../store/notices.ts'
import type { StartedLease } from '../store/start-run.ts'
import { giveUpRun } from './abandon-run.ts'
import { drive, logAbandoned, maxClaims } from './drive.ts'
import { trackRun } from './track-run.ts'

/** Share of the slots that new runs leave to recovery. */
const recoveryShare = 1 / 8

/**
 * Drives a new run in this process, or queues it if all slots for new runs are in use. A queued run is
 * taken over by the process that has a free slot first.
 */
export async function startRun(context: ServiceContext<Deps>, lease: StartedLease): Promise<void> {
  const { sql, activeRuns, maxRuns, runQueue } = context
  const reserved = maxRuns > 1 ? Math.ceil(maxRuns * recoveryShare) : 0
  const hasSlot = () => activeRuns.size < maxRuns - reserved
  if (hasSlot()) return driveRun(context, lease)
  await queue(sql, lease).catch(() => {})
  // A slot that became free before the run was queued did not find it.
  runQueue.waiting = true
  if (hasSlot()) startQueued(context)
}

/** Drives a run in this process. A run that fails here is released for takeover, with back-off. */
async function driveRun(context: ServiceContext<Deps>, lease: StartedLease): Promise<void> {
  const { sql, commit, kit, hub, limits, activeRuns } = context
  const deps = { sql, commit, hub, limits, log: kit.log, metrics: kit.metrics }
  const stop = new AbortController()
  const end = trackRun(activeRuns, hub, lease.run_id, stop)
  try {
    if (!supportedGraphVersions.has(lease.graph_version))
      return await giveUpRun(sql, lease, {
        code: 'VERSION_UNSUPPORTED',
        message: `Graph version ${lease.graph_version} is not supported any more. Send the message again.`,
      })
    const graph = workbench({
      ...context,
      runtime: kit.runtime,
      log: kit.log,
      metrics: kit.metrics,
      skills: await context.skills(),
    })
    await drive(deps, graph, lease, stop)
  } catch (thrown) {
    logAbandoned(deps, lease)(thrown)
    await (lease.claims < maxClaims ? release(sql, lease) : giveUp(context, lease)).catch(
      (failed) => kit.log.warn({ run: lease.run_id, ...errorFields(failed) }, 'run not released'),
    )
  } finally {
    end()
    startQueued(context)
  }
}

const giveUp = ({ sql }: ServiceContext<Deps>, lease: Lease) =>
  giveUpRun(sql, lease, {
    code: 'RUN_ABANDONED',
    message: `The run failed in ${maxClaims} attempts and was given up. Send the message again.`,
  })

/** Starts queued runs when a slot is free, without waiting for the next tick. */
function startQueued(context: ServiceContext<Deps>) {
  if (!context.runQueue.waiting || context.kit.runtime === 'workerd') return
  context.runQueue.waiting = false
  void takeOverExpiredRuns(context).catch((thrown) =>
    context.kit.log.warn(errorFields(thrown), 'queued runs not started'),
  )
}

/**
 * Takes over runs whose lease has expired and returns their number. On workerd, where nothing outlives
 * a request, waits until they end.
 */
export async function takeOverExpiredRuns(context: ServiceContext<Deps>): Promise<number> {
  const free = context.maxRuns - context.activeRuns.size
  const leases = await takeOverExpired(context.sql, free)
  // As many as fit: there may be more.
  if (free > 0 && leases.length === free) context.runQueue.waiting = true
  const runs = leases.map((lease) => driveRun(context, lease))
  for (const { thread_id: thread, run_id: run, claims } of leases) {
    context.kit.log.info({ thread, run, claims }, 'run taken over')
  }
  if (context.kit.runtime === 'workerd') await Promise.all(runs)
  return leases.length
}

/** Cards that one tick closes or reminds of at most. */
const timerBatch = 20

/** Reminds of cards and closes cards whose deadline has passed. Returns their number. */
export const runCardTimers = async (context: ServiceContext<Deps>): Promise<number> =>
  (await remindDueCards(context.sql, timerBatch)) + (await expireDueCards(context))

/** Closes cards whose deadline has passed, drives the runs that follow and returns their number. */
async function expireDueCards(context: ServiceContext<Deps>): Promise<number> {
  const table = routingTable(await context.skills())
  const leases = await expireCards(context.sql, timerBatch, {
    build: async (card, ...rest) => (await resumeInput(context, card.thread_id))(card, ...rest),
    fail: async () => buildExpiredInput(table),
    onFailure: (card, thrown) =>
      context.kit.log.warn({ card, ...errorFields(thrown) }, 'card not expired'),
  })
  const runs = leases.map((lease) => startRun(context, lease))
  if (context.kit.runtime === 'workerd') await Promise.all(runs)
  return leases.length
}
