import type { KubeObject } from '../runtime/objects.ts'

type SecretSource = { secret?: { name?: string; secretName?: string } }
type PodSpec = {
  serviceAccountName?: string
  volumes?: (SecretSource & {
    persistentVolumeClaim?: { claimName: string }
    projected?: { sources?: SecretSource[] }
  })[]
  containers?: Container[]
  initContainers?: Container[]
}
type Container = {
  image?: string
  env?: { value?: string; valueFrom?: { secretKeyRef?: { name: string } } }[]
}

export const getPodSpec = (workload: KubeObject): PodSpec =>
  (workload as { spec?: { template?: { spec?: PodSpec } } }).spec?.template?.spec ?? {}

/** Names of the Secrets that the pods of a workload mount or read. */
export function referencedSecretNames(workload: KubeObject): string[] {
  const { volumes = [] } = getPodSpec(workload)
  const sources = volumes.flatMap((volume) => [volume, ...(volume.projected?.sources ?? [])])
  return [
    ...sources.flatMap(({ secret }) => secret?.secretName ?? secret?.name ?? []),
    ...collectEnv(workload).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
  ]
}

/** Names of the volumes that the pods of a workload mount. */
export const referencedClaimNames = (workload: KubeObject): string[] =>
  (getPodSpec(workload).volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )

/**
 * Returns whether the pods of a workload depend on an object of this name: as Secret or volume, as
 * Secret of a database cluster (`demo-pg-app` belongs to `demo-pg`), or as host name in an environment variable.
 */
export function dependsOn(workload: KubeObject, name: string): boolean {
  const belongs = (other: string) => other === name || other === `${name}-app`
  if ([...referencedSecretNames(workload), ...referencedClaimNames(workload)].some(belongs))
    return true
  const host = new RegExp(`(^|[^a-z0-9-])${name}([^a-z0-9-]|$)`)
  return collectEnv(workload).some(({ value }) => value !== undefined && host.test(value))
}

function collectEnv(workload: KubeObject) {
  const { containers = [], initContainers = [] } = getPodSpec(workload)
  return [...initContainers, ...containers].flatMap(({ env = [] }) => env)
}
