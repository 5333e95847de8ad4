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
    conditions?: Condition[]
  }
}

export interface Health {
  ready: boolean
  desired: number
  available: number
  /** Set if the workload will not become ready without intervention. */
  failure?: string
}

/** Ready means: all desired pods are available, updated, and no surplus pod is left. */
export function healthOf(workload: Workload | undefined): Health {
  if (!workload) return { ready: false, desired: 0, available: 0 }
  const { metadata, spec, status = {} } = workload
  const desired = spec?.replicas ?? 1
  const isStatefulSet = workload.kind === 'StatefulSet'
  const available = (isStatefulSet ? status.readyReplicas : status.availableReplicas) ?? 0
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 1)
  const updated = desired === 0 || (status.updatedReplicas ?? 0) >= desired
  const ready =
    isObserved &&
    updated &&
    available >= desired &&
    (isStatefulSet || (status.replicas ?? 0) <= desired)
  const failure = isObserved && !ready ? failureOf(status.conditions ?? []) : undefined
  return { ready, desired, available, ...(failure && { failure }) }
}

function failureOf(conditions: Condition[]): string | undefined {
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
