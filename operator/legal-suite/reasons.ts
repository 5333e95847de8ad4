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
  /** What came of it, to be said of one or of several. */
  what: string
}

/** Why a Deployment was written, told by what differs. */
export function changeOf(before: Workload | undefined, after: Workload): Change {
  if (!before) return { reason: 'Created', what: 'made' }
  const rollout = (each: Workload) => each.metadata.annotations?.[rolloutAnnotation]
  if (rollout(before) === rollout(after)) {
    const [had, gets] = [before.spec?.replicas, after.spec?.replicas]
    return gets !== undefined && had !== gets
      ? { reason: 'Scaled', what: `${had ?? 1} → ${gets} replicas` }
      : { reason: 'DriftCorrected', what: 'somebody had changed it' }
  }
  const [old, next] = [before.spec?.template, after.spec?.template]
  const [was, is] = [old?.spec?.containers?.[0], next?.spec?.containers?.[0]]
  if (was?.image !== is?.image)
    return { reason: 'ImageChanged', what: `${was?.image} → ${is?.image}` }
  const secrets = (pods: Pods | undefined) => pods?.metadata?.annotations?.[secretsAnnotation]
  if (secrets(old) !== secrets(next))
    return { reason: 'SecretChanged', what: 'a secret that it reads has changed' }
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  if (!same(was?.env, is?.env))
    return { reason: 'ConfigurationChanged', what: 'its variables have changed' }
  return { reason: 'PodTemplateChanged', what: 'its pods are described anew' }
}
