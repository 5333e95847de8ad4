import { rolloutAnnotation, secretsAnnotation } from '../desired/common.ts'
import type { KubeObject } from '../runtime/objects.ts'

type Pods = {
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
type Workload = KubeObject & { spec?: { replicas?: number; template?: Pods } }

export interface Change {
  /** Why, in one word that does not change: people and alerts look for it. */
  reason: string
  note: string
  restarts: boolean
}

/** Why a Deployment is about to be written, told by what differs; whether its pods are replaced by it. */
export function changeOf(before: Workload | undefined, after: Workload): Change {
  const { name } = after.metadata
  if (!before) return { reason: 'Created', note: `${name} is new`, restarts: false }
  const rollout = (each: Workload) => each.metadata.annotations?.[rolloutAnnotation]
  if (rollout(before) === rollout(after)) {
    const [had, gets] = [before.spec?.replicas, after.spec?.replicas]
    return gets !== undefined && had !== gets
      ? { reason: 'Scaled', note: `${name}: ${had ?? 1} → ${gets} replicas`, restarts: false }
      : { reason: 'DriftCorrected', note: `${name} was not as wanted`, restarts: false }
  }
  const [old, next] = [before.spec?.template, after.spec?.template]
  const [was, is] = [old?.spec?.containers?.[0], next?.spec?.containers?.[0]]
  if (was?.image !== is?.image) {
    return { reason: 'ImageChanged', note: `${name}: ${was?.image} → ${is?.image}`, restarts: true }
  }
  const secrets = (pods: Pods | undefined) => pods?.metadata?.annotations?.[secretsAnnotation]
  if (secrets(old) !== secrets(next))
    return { reason: 'SecretChanged', note: `${name} reads a secret that changed`, restarts: true }
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  if (!same(was?.env, is?.env))
    return { reason: 'ConfigurationChanged', note: `${name} is told something new`, restarts: true }
  return { reason: 'PodTemplateChanged', note: `${name} runs in another way`, restarts: true }
}
