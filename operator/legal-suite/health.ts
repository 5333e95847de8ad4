import type { KubeObject } from '../runtime/objects.ts'

type Condition = { type: string; status: string; reason?: string; message?: string }

/** The fields of a Deployment, StatefulSet or Job that describe its health. */
export type Workload = KubeObject & {
  spec?: { replicas?: number }
  status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    readyReplicas?: number
    availableReplicas?: number
    /** Running pods of a Job. */
    active?: number
    conditions?: Condition[]
  }
}

export interface Health {
  /** All pods have the current template, and enough of them are available. */
  ready: boolean
  /** The current template was observed and no pod of an older one is left, nor a surplus one. */
  updated: boolean
  desired: number
  available: number
  /** Set if the workload will not become ready without intervention. */
  failure?: string
}

/** Pods that may be unavailable, as in the PodDisruptionBudget. A single pod has to be available. */
const maxUnavailable = 1

/**
 * Derives the health of a Deployment or StatefulSet. Ready follows availability: a pod that is missing within
 * the disruption budget does not make the workload unready.
 */
export function healthOf(workload: Workload | undefined): Health {
  if (!workload) return { ready: false, updated: false, desired: 0, available: 0 }
  const { metadata, spec, status = {} } = workload
  const desired = spec?.replicas ?? 1
  const isStatefulSet = workload.kind === 'StatefulSet'
  const { replicas = 0, updatedReplicas = 0 } = status
  const available = (isStatefulSet ? status.readyReplicas : status.availableReplicas) ?? 0
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 1)
  const required = Math.min(desired, Math.max(desired - maxUnavailable, 1))
  const updated =
    isObserved &&
    updatedReplicas >= Math.max(replicas, required) &&
    (isStatefulSet || replicas <= desired)
  const ready = updated && available >= required
  const failure = isObserved && !ready ? findFailure(status.conditions ?? []) : undefined
  return { ready, updated, desired, available, ...(failure && { failure }) }
}

function findFailure(conditions: Condition[]): string | undefined {
  const failed = conditions.find(
    ({ type, status, reason }) =>
      (type === 'Progressing' && status === 'False' && reason === 'ProgressDeadlineExceeded') ||
      (type === 'ReplicaFailure' && status === 'True'),
  )
  return failed && (failed.message || failed.reason || failed.type)
}

/** Returns how a Job ended, or undefined while it runs. */
export function jobOutcome(job: Workload | undefined): 'done' | 'failed' | undefined {
  const hasCondition = (type: string) =>
    job?.status?.conditions?.some((each) => each.type === type && each.status === 'True')
  if (hasCondition('Complete')) return 'done'
  return hasCondition('Failed') ? 'failed' : undefined
}
