import type { SecretKey } from '../api/fields.ts'
import type { Resources } from '../api/service-spec.ts'
import { type Facts, hashOf, secretsAnnotation } from './common.ts'

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

/** What a concern adds to the pod of a service. */
export interface Part {
  env?: Variable[]
  volumes?: Volume[]
  mounts?: Mount[]
}

/** Variables of the given values; one without a value is left out. */
export const variables = (
  values: Record<string, string | number | boolean | undefined>,
): Variable[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value: String(value) }))

export const secretVariable = (name: string, from: SecretKey | undefined): Variable[] =>
  from ? [{ name, valueFrom: { secretKeyRef: { name: from.name, key: from.key } } }] : []

/** Nothing of it may be written, gained or escaped to: the `restricted` Pod Security Standard and more. */
export const confined = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
}

export const identity = (id: number) => ({
  runAsNonRoot: true,
  runAsUser: id,
  runAsGroup: id,
  fsGroup: id,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
})

export const scratch = (name: string, sizeLimit = '512Mi'): Volume => ({
  name,
  emptyDir: { sizeLimit },
})

type Amounts = { requests: Record<string, string>; limits: Record<string, string> }

/**
 * What was asked for, in place of what is usual; what is usual makes way where the two do not go
 * together. There is no usual limit of CPU: it only slows.
 */
export function resourcesOf(given: Resources | undefined, usual: Amounts): Amounts {
  const requests = { ...usual.requests, ...given?.requests } as Record<string, string>
  const limits = { ...usual.limits, ...given?.limits } as Record<string, string>
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name]
    if (!limit || amountOf(request) <= amountOf(limit)) continue
    const asked = given?.requests?.[name as 'cpu' | 'memory']
    if (asked) limits[name] = request
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

/** A quantity as a number. */
export function amountOf(quantity: string): number {
  const [, digits, unit] = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity)!
  return Number(digits) * (unit ? units[unit]! : 1)
}

export const httpProbe = (path: string, more: Record<string, number> = {}) => ({
  httpGet: { path, port: 'http' },
  ...more,
})

/** Entries of secrets that a pod reads when it starts. */
export const secretsIn = (containers: Container[]): SecretKey[] =>
  containers.flatMap(({ env = [] }) =>
    env.flatMap((variable) => ('valueFrom' in variable ? [variable.valueFrom.secretKeyRef] : [])),
  )

/** Changes when one of the secrets that the pod reads does, and rolls it then. */
export function secretsChecksum(containers: Container[], { secrets }: Facts) {
  const used = [...new Set(secretsIn(containers).map(({ name, key }) => `${name}/${key}`))].sort()
  if (used.length === 0) return {}
  return { [secretsAnnotation]: hashOf(used.map((id) => [id, secrets.get(id) ?? ''])) }
}
