import type { KubeObject } from '../runtime/objects.ts'
import { appLabel, type Pod, rolloutHash } from './pod.ts'
import { type PodProblem, podProblem, probeDeadline } from './pod-problem.ts'

/** The pods of one suite at one moment. */
export interface SuitePods {
  /** Returns the problem of the newest pod of a workload that has one. */
  findProblem(workload: KubeObject): PodProblem | undefined
  /** Number of pods that have not ended. */
  readonly remaining: number
  /** Milliseconds until a probe that has not succeeded yet counts as failing. */
  readonly recheckMs: number | undefined
}

export function suitePods(pods: Pod[], now = Date.now()): SuitePods {
  const newestFirst = [...pods].sort((one, other) =>
    (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? ''),
  )
  const deadlines = pods.flatMap((pod) => probeDeadline(pod) ?? []).filter((at) => at > now)
  return {
    findProblem(workload) {
      for (const pod of newestFirst.filter((each) => belongsTo(each, workload))) {
        const problem = podProblem(pod, now)
        if (problem) return problem
      }
      return undefined
    },
    remaining: pods.filter(({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''))
      .length,
    ...(deadlines.length ? { recheckMs: Math.min(...deadlines) - now } : { recheckMs: undefined }),
  }
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
