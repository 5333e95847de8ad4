import { createHash } from 'node:crypto'
import type { LegalSuite } from '../api/legal-suite.ts'
import { apiVersion, group } from '../api/resource.ts'
import { type ServiceName, serviceNames } from '../api/service-table.ts'
import { canonical } from '../runtime/canonical.ts'
import type { KubeObject } from '../runtime/objects.ts'

export const manager = 'legal-suite-operator'
export const suiteLabel = `${group}/suite`
/** Marks objects that hold data: volumes, and the passwords that protect them. */
export const dataLabel = `${group}/data`
export const rolloutAnnotation = `${group}/rollout`
/** A new value of this annotation on the suite restarts all its pods. */
export const restartAnnotation = `${group}/restartedAt`
export const secretsAnnotation = `${group}/secrets`

/** The part of a suite that its objects depend on. Status, uid and timestamps are excluded on purpose. */
export type SuiteInput = {
  metadata: Pick<LegalSuite['metadata'], 'name' | 'namespace' | 'annotations'>
  spec: LegalSuite['spec']
}

/** Inputs from the cluster that are not part of the spec. */
export interface Facts {
  /** A digest of each referenced Secret entry, by `name/key`. */
  secrets: ReadonlyMap<string, string>
  /** The external database, from the URL in its Secret. */
  database?: { host: string; port: number } | undefined
  /** The namespace of the operator, which calls collector-service. */
  operatorNamespace: string
  /** Secrets with the internal key to mount. Default: the Secret of the spec. */
  internalKey?: { current: string; accepted?: string }
}

export const noFacts: Facts = {
  secrets: new Map(),
  operatorNamespace: 'legal-suite-system',
}

export const objectName = ({ metadata }: SuiteInput, app: string) => `${metadata.name}-${app}`

/** The immutable pod selector. */
export const selectorLabels = ({ metadata }: SuiteInput, app: string) => ({
  'app.kubernetes.io/name': app,
  'app.kubernetes.io/instance': metadata.name,
})

/** The role of a pod in network policies. */
export function componentLabel(app: string): 'service' | 'gateway' | 'job' | 'backend' {
  if (app === 'gateway') return 'gateway'
  if (app === 'migrate') return 'job'
  return serviceNames.some((name) => name === app) ? 'service' : 'backend'
}

export const standardLabels = (suite: SuiteInput, app: string) => ({
  ...selectorLabels(suite, app),
  'app.kubernetes.io/component': componentLabel(app),
  'app.kubernetes.io/part-of': 'legal-suite',
  'app.kubernetes.io/managed-by': manager,
  [suiteLabel]: suite.metadata.name,
})

/** Labels that all objects of this suite have and no other object has. */
export const ownershipLabels = (suite: SuiteInput) => ({
  'app.kubernetes.io/managed-by': manager,
  [suiteLabel]: suite.metadata.name,
})

export function buildObject(
  suite: SuiteInput,
  app: string,
  kind: [apiVersion: string, kind: string],
  content: Record<string, unknown>,
  options: {
    name?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  } = {},
): KubeObject {
  return {
    apiVersion: kind[0],
    kind: kind[1],
    metadata: {
      name: options.name ?? objectName(suite, app),
      namespace: suite.metadata.namespace,
      labels: { ...standardLabels(suite, app), ...options.labels },
      ...(options.annotations && { annotations: options.annotations }),
    },
    ...content,
  }
}

/** The first 16 hex digits of the SHA-256 of the canonical JSON. */
export const shortHash = (value: unknown) =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16)

/** The services of this suite. The gateway is included only if the spec has one. */
export const enabledServices = ({ spec }: SuiteInput): ServiceName[] =>
  serviceNames.filter((name) => name !== 'gateway' || spec.gateway)

/** The image of Deno has the suffix `-deno` in its tag. A digest is used as it is. */
export function imageReference({ spec: { image = 'legal-suite', version, runtime } }: SuiteInput) {
  if (image.includes('@')) return image
  return `${image}:${version}${runtime === 'Deno' ? '-deno' : ''}`
}

export const retainsData = ({ spec }: SuiteInput) => spec.deletionPolicy !== 'Delete'

export const ownerReference = ({ metadata: { name, uid } }: LegalSuite) => ({
  apiVersion,
  kind: 'LegalSuite',
  name,
  uid,
  controller: true,
})
