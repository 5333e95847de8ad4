import type { KubeObject } from '../runtime/objects.ts'

type Condition = { type: string; status: string; reason?: string; message?: string }

/** A Deployment, a StatefulSet or a Job as far as its health goes. */
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
  /** It will not get ready by itself. */
  failure?: string
}

/** Whether all the pods that are wanted are there, in their newest form, and nothing but them. */
export function healthOf(workload: Workload | undefined): Health {
  if (!workload) return { ready: false, desired: 0, available: 0 }
  const { metadata, spec, status = {} } = workload
  const desired = spec?.replicas ?? 1
  const stateful = workload.kind === 'StatefulSet'
  const available = (stateful ? status.readyReplicas : status.availableReplicas) ?? 0
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 1)
  const updated = desired === 0 || (status.updatedReplicas ?? 0) >= desired
  const ready =
    seen && updated && available >= desired && (stateful || (status.replicas ?? 0) <= desired)
  const failure = seen && !ready ? failureOf(status.conditions ?? []) : undefined
  return { ready, desired, available, ...(failure && { failure }) }
}

function failureOf(conditions: Condition[]): string | undefined {
  const stuck = conditions.find(
    ({ type, status, reason }) =>
      (type === 'Progressing' && status === 'False' && reason === 'ProgressDeadlineExceeded') ||
      (type === 'ReplicaFailure' && status === 'True'),
  )
  return stuck && (stuck.message || stuck.reason || stuck.type)
}

/** How a Job ended, or that it has not. */
export function endOf(job: Workload | undefined): 'done' | 'failed' | undefined {
  const holds = (type: string) =>
    job?.status?.conditions?.some((each) => each.type === type && each.status === 'True')
  if (holds('Complete')) return 'done'
  return holds('Failed') ? 'failed' : undefined
}
