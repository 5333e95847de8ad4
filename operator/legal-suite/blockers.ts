import type { ServiceName } from '../api/service-table.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { healthOf, jobOutcome, type Workload } from './health.ts'
import type { Blocker, Deployment, RolloutInputs } from './rollout-plan.ts'

/**
 * Blocks until the migration is done. The log of a failed attempt is part of the message from the first
 * failure on, because the pod may be gone when the Job gives up.
 */
export function migrationBlocker(
  job: KubeObject,
  { lookup, findProblem, lastMessage = '' }: RolloutInputs,
): Blocker | undefined {
  const { name } = job.metadata
  const outcome = jobOutcome(lookup('Job', name))
  if (outcome === 'done') return undefined
  const problem = findProblem?.(job)
  const [waiting, failed] = [`waiting for Job ${name}`, `Job ${name} failed`]
  const before = [waiting, failed].find((start) => lastMessage.startsWith(`${start}: `))
  const detail = problem?.message ?? (before && lastMessage.slice(before.length + 2))
  if (outcome === 'failed') {
    const message = detail ? `${failed}: ${detail}` : `${failed}; see its log`
    return { state: 'stalled', reason: 'MigrationFailed', message }
  }
  const message = detail ? `${waiting}: ${detail}` : waiting
  // A failed attempt is repeated. A pod that cannot start will not, whatever the deadline of the Job is.
  const isRetried =
    !problem || problem.reason === 'ContainerFailed' || problem.reason === 'PodFailed'
  if (isRetried) return { state: 'reconciling', reason: 'Migrating', message }
  return { state: problem.needsUser ? 'stalled' : 'reconciling', reason: problem.reason, message }
}

/** Blocks until a service is ready and reachable by its name, and names what its pods wait for. */
export function serviceBlocker(
  name: ServiceName,
  object: Deployment,
  willRoll: boolean,
  { lookup, findProblem, isReachable = () => true }: RolloutInputs,
): Blocker | undefined {
  const live = lookup('Deployment', object.metadata.name)
  const health = healthOf(live)
  const isHibernated = object.spec.replicas === 0
  const canServe = health.ready && isReachable(object.metadata.name)
  if (isHibernated || (!willRoll && canServe)) return undefined
  if (willRoll)
    return { state: 'reconciling', reason: 'RollingOut', message: `rolling out ${name}` }
  const problem = live && findProblem?.(live)
  if (problem)
    return {
      state: problem.needsUser || health.failure ? 'stalled' : 'reconciling',
      reason: problem.reason,
      message: `waiting for ${name}: ${problem.message}`,
    }
  if (health.failure) {
    const message = `${name} does not become ready, later services are not rolled out: ${health.failure}`
    return { state: 'stalled', reason: 'RolloutFailed', message }
  }
  const progress = health.ready
    ? `Service ${object.metadata.name} has no ready endpoint`
    : describeProgress(live, health)
  const message = `waiting for ${name}: ${progress}`
  return { state: 'reconciling', reason: 'RollingOut', message }
}

/** Old pods are available while new ones start, so both counts are needed. */
function describeProgress(
  live: Workload | undefined,
  { available, desired }: { available: number; desired: number },
): string {
  const { updatedReplicas = 0, replicas = 0 } = live?.status ?? {}
  const count = (pods: number) => `${Math.min(pods, desired)} of ${desired}`
  const surplus = Math.max(replicas - desired, 0)
  const old = updatedReplicas >= desired && surplus > 0 ? `, ${surplus} old pods terminate` : ''
  return `${count(updatedReplicas)} pods are updated, ${count(available)} are available${old}`
}
