import { minimalSpec } from '../../operator/testing/suites.ts'

export type Spec = Record<string, any>

const secret = { name: 'a', key: 'b' }
export const minimal: Spec = minimalSpec
const services = (files: Spec) => ({ ...minimal, services: { files } })
const variable = (env: Spec) => ({ ...minimal, services: { memory: { env: [env] } } })
const resources = (requests: Spec, limits: Spec) => ({
  ...minimal,
  services: { memory: { resources: { requests, limits } } },
})
const gateway = (more: Spec) => ({
  ...minimal,
  gateway: {
    host: 'a.example.com',
    oidc: { issuer: 'https://b.example.com', audience: 'c' },
    ...more,
  },
})
const parentRef = { name: 'edge' }
const external = { secretRef: secret }
const storage = { size: '1Gi' }
const s3 = { bucket: 'b', credentialsSecretRef: { name: 's' } }
const url = 'https://q.example.com'

/** Rejected specs with an accepted counterpart, by the message of the rule. */
export const suiteRules: [message: string, bad: Spec, good: Spec][] = [
  [
    'requests.cpu must not exceed',
    resources({ cpu: '2' }, { cpu: '1500m' }),
    resources({ cpu: '1' }, { cpu: '1500m' }),
  ],
  [
    'requests.memory must not exceed',
    resources({ memory: '1Gi' }, { memory: '900Mi' }),
    resources({ memory: '1Gi' }, { memory: '1Gi' }),
  ],
  [
    'minReplicas (default 2)',
    { ...minimal, services: { memory: { autoscaling: { maxReplicas: 1 } } } },
    { ...minimal, services: { memory: { autoscaling: { minReplicas: 1, maxReplicas: 1 } } } },
  ],
  [
    'exactly one of value and secretKeyRef is required',
    variable({ name: 'A', value: 'b', secretKeyRef: secret }),
    variable({ name: 'A', secretKeyRef: secret }),
  ],
  [
    'set by the operator',
    variable({ name: 'DATABASE_URL', value: 'b' }),
    variable({ name: 'LOG_LEVEL', value: 'warn' }),
  ],
  [
    'replicas and autoscaling are mutually exclusive',
    { ...minimal, services: { memory: { replicas: 2, autoscaling: { maxReplicas: 3 } } } },
    { ...minimal, services: { memory: { replicas: 2 } } },
  ],
  [
    'unknown service; the services are',
    { ...minimal, services: { unknown: {} } },
    { ...minimal, services: { 'ai-engine': {} } },
  ],
  ['external goes with type External', { ...minimal, database: { type: 'External' } }, minimal],
  [
    'external requires type External',
    { ...minimal, search: { type: 'Database', external: { url } } },
    { ...minimal, search: { type: 'External', external: { url } } },
  ],
  [
    'external requires type External',
    { ...minimal, graph: { type: 'External' } },
    { ...minimal, graph: { type: 'External', external: { url: 'bolt://g' } } },
  ],
  [
    'cloudNativePG requires type',
    { ...minimal, database: { type: 'CloudNativePG' } },
    { ...minimal, database: { type: 'CloudNativePG', cloudNativePG: { storage } } },
  ],
  [
    'embedded requires type',
    { ...minimal, database: { type: 'External', external, embedded: {} } },
    { ...minimal, database: { type: 'Embedded', embedded: {} } },
  ],
  [
    'websocketProxy requires driver neon',
    { ...minimal, database: { type: 'External', external: { ...external, websocketProxy: 'p' } } },
    {
      ...minimal,
      database: {
        type: 'External',
        external: { ...external, websocketProxy: 'p', driver: 'neon' },
      },
    },
  ],
  [
    'managed requires type Managed',
    { ...minimal, search: { type: 'Database', managed: {} } },
    { ...minimal, search: { type: 'Managed', managed: {} } },
  ],
  [
    'managed requires type Managed',
    { ...minimal, graph: { type: 'Disabled', managed: {} } },
    { ...minimal, graph: { type: 'Managed' } },
  ],
  [
    's3 requires type S3',
    { ...minimal, objectStorage: { type: 'S3' } },
    { ...minimal, objectStorage: { type: 'S3', s3 } },
  ],
  [
    'volume requires type Volume',
    { ...minimal, objectStorage: { type: 'S3', s3, volume: {} } },
    { ...minimal, objectStorage: { type: 'Volume', volume: {} } },
  ],
  [
    'ingress and httpRoute are mutually exclusive',
    gateway({ ingress: {}, httpRoute: { parentRef } }),
    gateway({ httpRoute: { parentRef } }),
  ],
  [
    'tls requires ingress',
    gateway({ tls: { secretName: 't' } }),
    gateway({ tls: { secretName: 't' }, ingress: {} }),
  ],
  [
    'namespaceLabels or podLabels is required',
    { ...minimal, networkPolicy: { gatewayFrom: [{}] } },
    { ...minimal, networkPolicy: { gatewayFrom: [{ podLabels: { a: 'b' } }] } },
  ],
  [
    'more than one replica of files',
    services({ replicas: 2 }),
    { ...services({ replicas: 2 }), objectStorage: { type: 'S3', s3 } },
  ],
  [
    'more than one replica of files',
    services({ autoscaling: { maxReplicas: 3 } }),
    {
      ...services({ replicas: 2 }),
      objectStorage: { type: 'Volume', volume: { accessMode: 'ReadWriteMany' } },
    },
  ],
  [
    'gateway.oidc is required in production',
    { ...minimal, gateway: { host: 'a.example.com' } },
    { ...minimal, environment: 'dev', gateway: { host: 'a.example.com' } },
  ],
  [
    'services.gateway requires gateway',
    { ...minimal, services: { gateway: {} } },
    { ...gateway({}), services: { gateway: {} } },
  ],
]

const embedded = (volume: Spec) => ({
  ...minimal,
  database: { type: 'Embedded', embedded: { storage: volume } },
})
const qdrant = (managed: Spec) => ({ ...minimal, search: { type: 'Managed', managed } })
const volume = (given: Spec) => ({ ...minimal, objectStorage: { type: 'Volume', volume: given } })

/** Rejected and accepted updates. */
export const transitionRules: [message: string, from: Spec, bad: Spec, good: Spec][] = [
  [
    'a volume cannot shrink',
    embedded({ size: '2Gi' }),
    embedded({ size: '1Gi' }),
    embedded({ size: '3Gi' }),
  ],
  [
    'storage class of a volume is immutable',
    embedded({ size: '2Gi', storageClassName: 'a' }),
    embedded({ size: '2Gi', storageClassName: 'b' }),
    embedded({ size: '4Gi', storageClassName: 'a' }),
  ],
  [
    'volumes of managed search are immutable',
    qdrant({ storage }),
    qdrant({ storage: { size: '2Gi' } }),
    qdrant({ storage, replicas: 3 }),
  ],
  [
    'volumes of managed search are immutable',
    qdrant({ storage }),
    qdrant({ replicas: 1 }),
    qdrant({ storage, replicas: 2 }),
  ],
  [
    'access mode of a volume is immutable',
    volume({ accessMode: 'ReadWriteOnce' }),
    volume({ accessMode: 'ReadWriteMany' }),
    volume({ accessMode: 'ReadWriteOnce', storage }),
  ],
]

export const seed = { suiteRef: { name: 'demo' }, packageIds: ['one'] }
export const seedRules: [message: string, bad: Spec, good: Spec][] = [
  [
    'dryRun and force are mutually exclusive',
    { ...seed, dryRun: true, force: true },
    { ...seed, force: true, dryRun: false },
  ],
  [
    'expectPlanHash cannot be combined',
    { ...seed, dryRun: true, expectPlanHash: 'h' },
    { ...seed, expectPlanHash: 'h' },
  ],
]
