import { componentLabel } from '../desired/common.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { appLabel, type Pod, rolloutHash } from './pod.ts'
import { type PodProblem, podProblem, probeDeadline } from './pod-problem.ts'

/** The pods of one suite at one moment. */
export interface SuitePods {
  /** Returns the problem of the newest pod of a workload that has one. */
  findProblem(workload: KubeObject): PodProblem | undefined
  /** Returns whether a pod of an older template of a Deployment still runs or terminates. */
  isDraining(deployment: KubeObject): boolean
  /** Returns whether a container of a Job has run. */
  hasStarted(job: KubeObject): boolean
  /** Number of pods that have not ended. */
  readonly remaining: number
  /** Those of them that use the backends: services, gateway and migration. */
  readonly remainingClients: number
  /** Milliseconds until a probe that has not succeeded yet counts as failing. */
  readonly recheckMs: number | undefined
}

export function suitePods(pods: Pod[], now = Date.now()): SuitePods {
  const newestFirst = [...pods].sort((one, other) =>
    (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? ''),
  )
  const unfinished = pods.filter(
    ({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
  )
  const deadlines = pods.flatMap((pod) => probeDeadline(pod) ?? []).filter((at) => at > now)
  return {
    findProblem(workload) {
      const own = newestFirst.filter((each) => belongsTo(each, workload))
      for (const pod of workload.kind === 'Job' ? own : withoutReplaced(own)) {
        const problem = podProblem(pod, now)
        if (problem) return problem
      }
      return undefined
    },
    isDraining: (deployment) =>
      deployment.kind === 'Deployment' &&
      unfinished.some((pod) => appLabel(pod) === appLabel(deployment) && isOld(pod, deployment)),
    hasStarted: (job) =>
      pods.some((pod) => belongsTo(pod, job) && (pod.status?.phase ?? 'Pending') !== 'Pending'),
    remaining: unfinished.length,
    remainingClients: unfinished.filter((pod) => componentLabel(appLabel(pod)) !== 'backend')
      .length,
    ...(deadlines.length ? { recheckMs: Math.min(...deadlines) - now } : { recheckMs: undefined }),
  }
}

/** The controller replaces a failed pod, for example an evicted one. Its successors tell more. */
function withoutReplaced(pods: Pod[]): Pod[] {
  const others = pods.filter(({ status }) => status?.phase !== 'Failed')
  return others.length > 0 ? others : pods
}

/** Pods of operator versions before the annotation count as current until they terminate. */
function isOld(pod: Pod, deployment: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp) return true
  const rollout = rolloutHash(pod)
  return rollout !== undefined && rollout !== rolloutHash(deployment)
}

/** A pod of an earlier template of a Deployment is about to be replaced and does not count. */
function belongsTo(pod: Pod, workload: KubeObject): boolean {
  if (workload.kind === 'Job')
    return (
      pod.metadata.ownerReferences?.some(({ name }) => name === workload.metadata.name) ?? false
    )
  if (appLabel(pod) !== appLabel(workload)) return false
  if (workload.kind !== 'Deployment') return true
  const rollout = rolloutHash(pod)
  return rollout === undefined || rollout === rolloutHash(workload)
}
