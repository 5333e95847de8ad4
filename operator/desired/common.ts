import { createHash } from 'node:crypto'
import type { LegalSuite } from '../api/legal-suite.ts'
import { apiVersion, group } from '../api/resource.ts'
import { type ServiceName, serviceNames } from '../api/service-spec.ts'
import { canonical } from '../runtime/canonical.ts'
import type { KubeObject } from '../runtime/objects.ts'

export const manager = 'legal-suite-operator'
export const suiteLabel = `${group}/suite`
/** What must outlive the suite, where it says so: volumes, and the passwords that open them. */
export const dataLabel = `${group}/data`
export const rolloutAnnotation = `${group}/rollout`
export const secretsAnnotation = `${group}/secrets`

/** A suite as far as its objects depend on it; not on when it was made, or on what has come of it. */
export type Wanted = {
  metadata: Pick<LegalSuite['metadata'], 'name' | 'namespace'>
  spec: LegalSuite['spec']
}

/** What is so in the cluster, and no concern of the spec. */
export interface Facts {
  /** APIs that others bring: `monitoring.coreos.com/v1`. */
  apis: ReadonlySet<string>
  /** A hash of the value of each secret entry that the suite names, by `name/key`. */
  secrets: ReadonlyMap<string, string>
  /** Where the operator runs: it calls collector-service. */
  operatorNamespace: string
}

export const nothingKnown: Facts = {
  apis: new Set(),
  secrets: new Map(),
  operatorNamespace: 'legal-suite-system',
}

export const nameOf = ({ metadata }: Wanted, what: string) => `${metadata.name}-${what}`

/** What a pod is chosen by. It never changes for as long as the suite is there. */
export const selectorOf = ({ metadata }: Wanted, what: string) => ({
  'app.kubernetes.io/name': what,
  'app.kubernetes.io/instance': metadata.name,
})

/** What a pod is to the network: who may reach it goes by this. */
export function componentOf(what: string): 'service' | 'gateway' | 'job' | 'backend' {
  if (what === 'gateway') return 'gateway'
  if (what === 'migrate') return 'job'
  return serviceNames.some((name) => name === what) ? 'service' : 'backend'
}

export const labelsOf = (suite: Wanted, what: string) => ({
  ...selectorOf(suite, what),
  'app.kubernetes.io/component': componentOf(what),
  'app.kubernetes.io/part-of': 'legal-suite',
  'app.kubernetes.io/managed-by': manager,
  [suiteLabel]: suite.metadata.name,
})

/** All objects of a suite carry these, and no object of another does. */
export const ownLabels = (suite: Wanted) => ({
  'app.kubernetes.io/managed-by': manager,
  [suiteLabel]: suite.metadata.name,
})

export function object(
  suite: Wanted,
  what: string,
  kind: [apiVersion: string, kind: string],
  rest: Record<string, unknown>,
  more: {
    name?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  } = {},
): KubeObject {
  return {
    apiVersion: kind[0],
    kind: kind[1],
    metadata: {
      name: more.name ?? nameOf(suite, what),
      namespace: suite.metadata.namespace,
      labels: { ...labelsOf(suite, what), ...more.labels },
      ...(more.annotations && { annotations: more.annotations }),
    },
    ...rest,
  }
}

/** A short name of a value: equal values have equal ones, whatever order their members came in. */
export const hashOf = (value: unknown) =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16)

/** The services that this suite has: without a gateway in the spec there is none. */
export const servicesOf = ({ spec }: Wanted): ServiceName[] =>
  serviceNames.filter((name) => name !== 'gateway' || spec.gateway)

export const imageOf = ({ spec: { image = 'legal-suite', version } }: Wanted) =>
  image.includes('@') ? image : `${image}:${version}`

export const retains = ({ spec }: Wanted) => spec.deletionPolicy !== 'Delete'

export const ownerReference = ({ metadata: { name, uid } }: LegalSuite) => ({
  apiVersion,
  kind: 'LegalSuite',
  name,
  uid,
  controller: true,
})
