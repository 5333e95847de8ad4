import { leastSpec } from '../../operator/testing/suites.ts'

export type Spec = Record<string, any>

const secret = { name: 'a', key: 'b' }
export const least: Spec = leastSpec
const services = (files: Spec) => ({ ...least, services: { files } })
const variable = (env: Spec) => ({ ...least, services: { memory: { env: [env] } } })
const resources = (requests: Spec, limits: Spec) => ({
  ...least,
  services: { memory: { resources: { requests, limits } } },
})
const gateway = (more: Spec) => ({
  ...least,
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

/** What the API server refuses, and what it takes in its place: by the message of the rule. */
export const suiteRules: [message: string, bad: Spec, good: Spec][] = [
  [
    'requests.cpu may not exceed',
    resources({ cpu: '2' }, { cpu: '1500m' }),
    resources({ cpu: '1' }, { cpu: '1500m' }),
  ],
  [
    'requests.memory may not exceed',
    resources({ memory: '1Gi' }, { memory: '900Mi' }),
    resources({ memory: '1Gi' }, { memory: '1Gi' }),
  ],
  [
    'minReplicas (2 when unset)',
    { ...least, services: { memory: { autoscaling: { maxReplicas: 1 } } } },
    { ...least, services: { memory: { autoscaling: { minReplicas: 1, maxReplicas: 1 } } } },
  ],
  [
    'give either value or secretKeyRef',
    variable({ name: 'A', value: 'b', secretKeyRef: secret }),
    variable({ name: 'A', secretKeyRef: secret }),
  ],
  [
    'set by the operator',
    variable({ name: 'DATABASE_URL', value: 'b' }),
    variable({ name: 'LOG_LEVEL', value: 'warn' }),
  ],
  [
    'give either replicas or autoscaling',
    { ...least, services: { memory: { replicas: 2, autoscaling: { maxReplicas: 3 } } } },
    { ...least, services: { memory: { replicas: 2 } } },
  ],
  [
    'the services are',
    { ...least, services: { unknown: {} } },
    { ...least, services: { 'ai-engine': {} } },
  ],
  ['external goes with type External', { ...least, database: { type: 'External' } }, least],
  [
    'external goes with type External',
    { ...least, search: { type: 'Database', external: { url } } },
    { ...least, search: { type: 'External', external: { url } } },
  ],
  [
    'external goes with type External',
    { ...least, graph: { type: 'External' } },
    { ...least, graph: { type: 'External', external: { url: 'bolt://g' } } },
  ],
  [
    'cloudNativePG goes with type',
    { ...least, database: { type: 'CloudNativePG' } },
    { ...least, database: { type: 'CloudNativePG', cloudNativePG: { storage } } },
  ],
  [
    'embedded goes with type',
    { ...least, database: { type: 'External', external, embedded: {} } },
    { ...least, database: { type: 'Embedded', embedded: {} } },
  ],
  [
    'websocketProxy goes with driver neon',
    { ...least, database: { type: 'External', external: { ...external, websocketProxy: 'p' } } },
    {
      ...least,
      database: {
        type: 'External',
        external: { ...external, websocketProxy: 'p', driver: 'neon' },
      },
    },
  ],
  [
    'managed goes with type Managed',
    { ...least, search: { type: 'Database', managed: {} } },
    { ...least, search: { type: 'Managed', managed: {} } },
  ],
  [
    'managed goes with type Managed',
    { ...least, graph: { type: 'Disabled', managed: {} } },
    { ...least, graph: { type: 'Managed' } },
  ],
  [
    's3 goes with type S3',
    { ...least, objectStorage: { type: 'S3' } },
    { ...least, objectStorage: { type: 'S3', s3 } },
  ],
  [
    'volume goes with type Volume',
    { ...least, objectStorage: { type: 'S3', s3, volume: {} } },
    { ...least, objectStorage: { type: 'Volume', volume: {} } },
  ],
  [
    'give either ingress or httpRoute',
    gateway({ ingress: {}, httpRoute: { parentRef } }),
    gateway({ httpRoute: { parentRef } }),
  ],
  [
    'tls goes with ingress',
    gateway({ tls: { secretName: 't' } }),
    gateway({ tls: { secretName: 't' }, ingress: {} }),
  ],
  [
    'say namespaceLabels, podLabels or both',
    { ...least, networkPolicy: { gatewayFrom: [{}] } },
    { ...least, networkPolicy: { gatewayFrom: [{ podLabels: { a: 'b' } }] } },
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
    'in production the gateway needs oidc',
    { ...least, gateway: { host: 'a.example.com' } },
    { ...least, environment: 'dev', gateway: { host: 'a.example.com' } },
  ],
  [
    'services.gateway goes with gateway',
    { ...least, services: { gateway: {} } },
    { ...gateway({}), services: { gateway: {} } },
  ],
]

const embedded = (volume: Spec) => ({
  ...least,
  database: { type: 'Embedded', embedded: { storage: volume } },
})
const qdrant = (managed: Spec) => ({ ...least, search: { type: 'Managed', managed } })
const volume = (given: Spec) => ({ ...least, objectStorage: { type: 'Volume', volume: given } })

/** Changes that are refused, and others that are not. */
export const changes: [message: string, from: Spec, bad: Spec, good: Spec][] = [
  [
    'may grow but not shrink',
    embedded({ size: '2Gi' }),
    embedded({ size: '1Gi' }),
    embedded({ size: '3Gi' }),
  ],
  [
    'class of a volume may not change',
    embedded({ size: '2Gi', storageClassName: 'a' }),
    embedded({ size: '2Gi', storageClassName: 'b' }),
    embedded({ size: '4Gi', storageClassName: 'a' }),
  ],
  [
    'volumes of a search cluster may not change',
    qdrant({ storage }),
    qdrant({ storage: { size: '2Gi' } }),
    qdrant({ storage, replicas: 3 }),
  ],
  [
    'volumes of a search cluster may not change',
    qdrant({ storage }),
    qdrant({ replicas: 1 }),
    qdrant({ storage, replicas: 2 }),
  ],
  [
    'access mode of a volume may not change',
    volume({ accessMode: 'ReadWriteOnce' }),
    volume({ accessMode: 'ReadWriteMany' }),
    volume({ accessMode: 'ReadWriteOnce', storage }),
  ],
]

export const seed = { suiteRef: { name: 'demo' }, packageIds: ['one'] }
export const seedRules: [message: string, bad: Spec, good: Spec][] = [
  [
    'nothing to force',
    { ...seed, dryRun: true, force: true },
    { ...seed, force: true, dryRun: false },
  ],
  [
    'expectPlanHash goes with an apply',
    { ...seed, dryRun: true, expectPlanHash: 'h' },
    { ...seed, expectPlanHash: 'h' },
  ],
]
