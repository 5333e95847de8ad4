import { rolloutAnnotation, secretsAnnotation } from '../desired/common.ts'
import type { KubeObject } from '../runtime/objects.ts'

type PodTemplate = {
  metadata?: { annotations?: Record<string, string> }
  spec?: {
    containers?: {
      image?: string
      command?: string[]
      env?: { name: string }[]
      resources?: unknown
    }[]
  }
}
type Workload = KubeObject & { spec?: { replicas?: number; template?: PodTemplate } }

export interface RolloutReason {
  /** Stable identifier for alerts. */
  reason: string
  /** Message that fits one or several Deployments. */
  detail: string
}

/** Derives why a Deployment was written from the difference between its old and new form. */
export function rolloutReasonOf(before: Workload | undefined, after: Workload): RolloutReason {
  if (!before) return { reason: 'Created', detail: 'created' }
  const rollout = (each: Workload) => each.metadata.annotations?.[rolloutAnnotation]
  if (rollout(before) === rollout(after)) {
    const [oldReplicas, newReplicas] = [before.spec?.replicas, after.spec?.replicas]
    return newReplicas !== undefined && oldReplicas !== newReplicas
      ? { reason: 'Scaled', detail: `${oldReplicas ?? 1} → ${newReplicas} replicas` }
      : { reason: 'DriftCorrected', detail: 'a field had been changed outside the operator' }
  }
  const [oldPods, newPods] = [before.spec?.template, after.spec?.template]
  const [oldContainer, newContainer] = [
    oldPods?.spec?.containers?.[0],
    newPods?.spec?.containers?.[0],
  ]
  if (oldContainer?.image !== newContainer?.image)
    return { reason: 'ImageChanged', detail: `${oldContainer?.image} → ${newContainer?.image}` }
  const secrets = (pods: PodTemplate | undefined) =>
    pods?.metadata?.annotations?.[secretsAnnotation]
  if (secrets(oldPods) !== secrets(newPods))
    return { reason: 'SecretChanged', detail: 'a referenced Secret changed' }
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  if (!same(oldContainer?.env, newContainer?.env))
    return { reason: 'ConfigurationChanged', detail: 'environment variables changed' }
  return { reason: 'PodTemplateChanged', detail: 'the pod template changed' }
}
