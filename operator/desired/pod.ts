import type { SecretKey } from '../api/fields.ts'
import type { Resources } from '../api/service-spec.ts'
import { type Facts, secretsAnnotation, shortHash } from './common.ts'

export type Variable =
  | { name: string; value: string }
  | { name: string; valueFrom: { secretKeyRef: SecretKey } }

export type Volume = { name: string } & Record<string, unknown>
export type Mount = { name: string; mountPath: string; readOnly?: boolean; subPath?: string }

export type Container = {
  name: string
  image: string
  env?: Variable[]
  volumeMounts?: Mount[]
} & Record<string, unknown>

/** The contribution of one concern to the pod of a service. */
export interface PodPart {
  env?: Variable[]
  volumes?: Volume[]
  mounts?: Mount[]
}

/** Environment variables. Undefined values are omitted. */
export const variables = (
  values: Record<string, string | number | boolean | undefined>,
): Variable[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value: String(value) }))

export const secretVariable = (name: string, from: SecretKey | undefined): Variable[] =>
  from ? [{ name, valueFrom: { secretKeyRef: { name: from.name, key: from.key } } }] : []

/** The end of the log of a failed container becomes part of the pod status, where the operator reads it. */
export const failureLog = { terminationMessagePolicy: 'FallbackToLogsOnError' }

/** The `restricted` Pod Security Standard with a read-only root filesystem. */
export const restrictedSecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
}

export const podSecurityContext = (id: number) => ({
  runAsNonRoot: true,
  runAsUser: id,
  runAsGroup: id,
  fsGroup: id,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
})

export const emptyDirVolume = (name: string, sizeLimit = '512Mi'): Volume => ({
  name,
  emptyDir: { sizeLimit },
})

type ResourceAmounts = { requests: Record<string, string>; limits: Record<string, string> }

/**
 * Merges configured resources over the defaults. A default gives way where a request would exceed a limit.
 * There is no default CPU limit, because it only throttles.
 */
export function mergeResources(
  overrides: Resources | undefined,
  defaults: ResourceAmounts,
): ResourceAmounts {
  const requests = { ...defaults.requests, ...overrides?.requests } as Record<string, string>
  const limits = { ...defaults.limits, ...overrides?.limits } as Record<string, string>
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name]
    if (!limit || parseQuantity(request) <= parseQuantity(limit)) continue
    const isOverridden = overrides?.requests?.[name as 'cpu' | 'memory']
    if (isOverridden) limits[name] = request
    else requests[name] = limit
  }
  return { requests, limits }
}

const units: Record<string, number> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/** Parses a Kubernetes quantity. */
export function parseQuantity(quantity: string): number {
  const [, digits, unit] = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity)!
  return Number(digits) * (unit ? units[unit]! : 1)
}

export const httpHandler = (path: string) => ({ httpGet: { path, port: 'http' } })
export const tcpHandler = { tcpSocket: { port: 'http' } }

export const httpProbe = (path: string, options: Record<string, number> = {}) => ({
  ...httpHandler(path),
  ...options,
})

/** Secret entries that the containers read as environment variables. */
export const collectSecretRefs = (containers: Container[]): SecretKey[] =>
  containers.flatMap(({ env = [] }) =>
    env.flatMap((variable) => ('valueFrom' in variable ? [variable.valueFrom.secretKeyRef] : [])),
  )

/** An annotation that changes, and so restarts the pods, when a referenced Secret entry changes. */
export function secretsChecksum(containers: Container[], { secrets }: Facts) {
  const references = [
    ...new Set(collectSecretRefs(containers).map(({ name, key }) => `${name}/${key}`)),
  ].sort()
  if (references.length === 0) return {}
  return { [secretsAnnotation]: shortHash(references.map((id) => [id, secrets.get(id) ?? ''])) }
}
