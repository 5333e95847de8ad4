import { rolloutAnnotation } from '../desired/common.ts'
import type { KubeObject } from '../runtime/objects.ts'

type Terminated = { reason?: string; exitCode?: number; message?: string }
type ContainerState = {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: Terminated
}
export type ContainerStatus = {
  name: string
  ready?: boolean
  started?: boolean
  restartCount?: number
  state?: ContainerState
  lastState?: ContainerState
}

/** The fields of a pod that explain why it does not become ready. */
export type Pod = KubeObject & {
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
    initContainerStatuses?: ContainerStatus[]
    containerStatuses?: ContainerStatus[]
  }
}

export const appLabel = ({ metadata }: KubeObject) =>
  metadata.labels?.['app.kubernetes.io/name'] ?? ''

export const rolloutHash = ({ metadata }: KubeObject) => metadata.annotations?.[rolloutAnnotation]

/** Removes all fields that the operator does not read: pods are many, and large. */
export function trimPod({ apiVersion, kind, metadata, status = {} }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata
  const { creationTimestamp, deletionTimestamp } = metadata
  const rollout = rolloutHash({ metadata } as KubeObject)
  const { phase, reason, message, conditions = [], ...containers } = status
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(labels && { labels }),
      ...(ownerReferences && { ownerReferences }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(rollout && { annotations: { [rolloutAnnotation]: rollout } }),
    },
    status: {
      ...(phase && { phase }),
      ...(reason && { reason }),
      ...(message && { message }),
      conditions: conditions.filter(({ type }) => type === 'PodScheduled' || type === 'Ready'),
      initContainerStatuses: trimContainers(containers.initContainerStatuses),
      containerStatuses: trimContainers(containers.containerStatuses),
    },
  }
}

const trimContainers = (statuses: ContainerStatus[] = []): ContainerStatus[] =>
  statuses.map(({ name, ready, started, restartCount, state, lastState }) => ({
    name,
    ...(ready !== undefined && { ready }),
    ...(started !== undefined && { started }),
    ...(restartCount && { restartCount }),
    ...(state && { state }),
    ...(lastState && { lastState }),
  }))
