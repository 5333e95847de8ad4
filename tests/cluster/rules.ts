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
    oidc: { issuer: 'https://b.example.com', audience: 'c', clientId: 'legal' },
    ...more,
  },
})
const parentRef = { name: 'edge' }
const external = { secretRef: secret }
const storage = { size: '1Gi' }
const s3 = { bucket: 'b', credentialsSecretRef: { name: 's' } }
const url = 'https://q.example.com'

const withResources: Record<string, (resources: Spec) => Spec> = {
  'spec.database.cloudNativePG': (resources) => ({
    ...minimal,
    database: { type: 'CloudNativePG', cloudNativePG: { storage, resources } },
  }),
  'spec.database.embedded': (resources) => ({
    ...minimal,
    database: { type: 'Embedded', embedded: { resources } },
  }),
  'spec.search.managed': (resources) => ({
    ...minimal,
    search: { type: 'Managed', managed: { resources } },
  }),
  'spec.graph.managed': (resources) => ({
    ...minimal,
    graph: { type: 'Managed', managed: { resources } },
  }),
}

const resourceRules = Object.entries(withResources).flatMap(
  ([path, build]): [path: string, message: string, bad: Spec, good: Spec][] => [
    [
      `${path}.resources`,
      'requests.cpu must not exceed',
      build({ requests: { cpu: '2' }, limits: { cpu: '1500m' } }),
      build({ requests: { cpu: '1' }, limits: { cpu: '1500m' } }),
    ],
    [
      `${path}.resources`,
      'requests.memory must not exceed',
      build({ requests: { memory: '1Gi' }, limits: { memory: '900Mi' } }),
      build({ requests: { memory: '1Gi' }, limits: { memory: '1Gi' } }),
    ],
  ],
)

/** Rejected specs with an accepted counterpart, by path and message of the rule. */
export const suiteRules: [path: string, message: string, bad: Spec, good: Spec][] = [
  ...resourceRules,
  [
    'spec.services{}.resources',
    'requests.cpu must not exceed',
    resources({ cpu: '2' }, { cpu: '1500m' }),
    resources({ cpu: '1' }, { cpu: '1500m' }),
  ],
  [
    'spec.services{}.resources',
    'requests.memory must not exceed',
    resources({ memory: '1Gi' }, { memory: '900Mi' }),
    resources({ memory: '1Gi' }, { memory: '1Gi' }),
  ],
  [
    'spec.services{}.autoscaling',
    'minReplicas (default 2)',
    { ...minimal, services: { memory: { autoscaling: { maxReplicas: 1 } } } },
    { ...minimal, services: { memory: { autoscaling: { minReplicas: 1, maxReplicas: 1 } } } },
  ],
  [
    'spec.services{}.env[]',
    'exactly one of value and secretKeyRef is required',
    variable({ name: 'A', value: 'b', secretKeyRef: secret }),
    variable({ name: 'A', secretKeyRef: secret }),
  ],
  [
    'spec.services{}.env[]',
    'set by the operator',
    variable({ name: 'DATABASE_URL', value: 'b' }),
    variable({ name: 'LOG_LEVEL', value: 'warn' }),
  ],
  [
    'spec.services{}',
    'replicas and autoscaling are mutually exclusive',
    { ...minimal, services: { memory: { replicas: 2, autoscaling: { maxReplicas: 3 } } } },
    { ...minimal, services: { memory: { replicas: 2 } } },
  ],
  [
    'spec.services',
    'unknown service; the services are',
    { ...minimal, services: { unknown: {} } },
    { ...minimal, services: { 'ai-engine': {} } },
  ],
  [
    'spec.database',
    'external requires type External',
    { ...minimal, database: { type: 'External' } },
    minimal,
  ],
  [
    'spec.search',
    'external requires type External',
    { ...minimal, search: { type: 'Database', external: { url } } },
    { ...minimal, search: { type: 'External', external: { url } } },
  ],
  [
    'spec.graph',
    'external requires type External',
    { ...minimal, graph: { type: 'External' } },
    { ...minimal, graph: { type: 'External', external: { url: 'bolt://g' } } },
  ],
  [
    'spec.database',
    'cloudNativePG requires type',
    { ...minimal, database: { type: 'CloudNativePG' } },
    { ...minimal, database: { type: 'CloudNativePG', cloudNativePG: { storage } } },
  ],
  [
    'spec.database',
    'embedded requires type',
    { ...minimal, database: { type: 'External', external, embedded: {} } },
    { ...minimal, database: { type: 'Embedded', embedded: {} } },
  ],
  [
    'spec.database.external',
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
    'spec.search',
    'managed requires type Managed',
    { ...minimal, search: { type: 'Database', managed: {} } },
    { ...minimal, search: { type: 'Managed', managed: {} } },
  ],
  [
    'spec.graph',
    'managed requires type Managed',
    { ...minimal, graph: { type: 'Disabled', managed: {} } },
    { ...minimal, graph: { type: 'Managed' } },
  ],
  [
    'spec.objectStorage',
    's3 requires type S3',
    { ...minimal, objectStorage: { type: 'S3' } },
    { ...minimal, objectStorage: { type: 'S3', s3 } },
  ],
  [
    'spec.objectStorage',
    'volume requires type Volume',
    { ...minimal, objectStorage: { type: 'S3', s3, volume: {} } },
    { ...minimal, objectStorage: { type: 'Volume', volume: {} } },
  ],
  [
    'spec.gateway',
    'ingress and httpRoute are mutually exclusive',
    gateway({ ingress: {}, httpRoute: { parentRef } }),
    gateway({ httpRoute: { parentRef } }),
  ],
  [
    'spec.gateway',
    'tls requires ingress',
    gateway({ tls: { secretName: 't' } }),
    gateway({ tls: { secretName: 't' }, ingress: {} }),
  ],
  [
    'spec.networkPolicy.gatewayFrom[]',
    'namespaceLabels or podLabels is required',
    { ...minimal, networkPolicy: { gatewayFrom: [{}] } },
    { ...minimal, networkPolicy: { gatewayFrom: [{ podLabels: { a: 'b' } }] } },
  ],
  ...[{}, { secretName: 'a', configMapName: 'b' }].map(
    (source): [path: string, message: string, bad: Spec, good: Spec] => [
      'spec.pods.volumes[]',
      'exactly one of secretName and configMapName is required',
      { ...minimal, pods: { volumes: [{ name: 'ca', mountPath: '/ca', ...source }] } },
      { ...minimal, pods: { volumes: [{ name: 'ca', mountPath: '/ca', configMapName: 'b' }] } },
    ],
  ),
  [
    'spec.networkPolicy.metricsFrom[]',
    'namespaceLabels or podLabels is required',
    { ...minimal, networkPolicy: { metricsFrom: [{}] } },
    { ...minimal, networkPolicy: { metricsFrom: [{ namespaceLabels: { a: 'b' } }] } },
  ],
  [
    'spec',
    'more than one replica of files',
    services({ replicas: 2 }),
    { ...services({ replicas: 2 }), objectStorage: { type: 'S3', s3 } },
  ],
  [
    'spec',
    'more than one replica of files',
    services({ autoscaling: { maxReplicas: 3 } }),
    {
      ...services({ replicas: 2 }),
      objectStorage: { type: 'Volume', volume: { accessMode: 'ReadWriteMany' } },
    },
  ],
  [
    'spec',
    'gateway.oidc is required in production',
    { ...minimal, gateway: { host: 'a.example.com' } },
    { ...minimal, environment: 'dev', gateway: { host: 'a.example.com' } },
  ],
  [
    'spec',
    'services.gateway requires gateway',
    { ...minimal, services: { gateway: {} } },
    { ...gateway({}), services: { gateway: {} } },
  ],
]

const embeddedDatabase = (storage?: Spec) => ({
  ...minimal,
  database: { type: 'Embedded', ...(storage && { embedded: { storage } }) },
})
const cnpg = (storage: Spec) => ({
  ...minimal,
  database: { type: 'CloudNativePG', cloudNativePG: { storage } },
})
const neo4j = (storage?: Spec) => ({
  ...minimal,
  graph: { type: 'Managed', ...(storage && { managed: { storage } }) },
})
const qdrant = (managed?: Spec) => ({
  ...minimal,
  search: { type: 'Managed', ...(managed && { managed }) },
})
const files = (volume?: Spec) => ({
  ...minimal,
  ...(volume && { objectStorage: { type: 'Volume', volume } }),
})

/** Updates by path and message of the rule: initial spec, rejected update, accepted update. */
export const transitionRules: [path: string, message: string, from: Spec, bad: Spec, good: Spec][] =
  [
    ...(
      [
        ['database.embedded.storage', embeddedDatabase, '10Gi'],
        ['graph.managed.storage', neo4j, '10Gi'],
        ['objectStorage.volume.storage', (storage?: Spec) => files(storage && { storage }), '20Gi'],
      ] as const
    ).flatMap(([path, build, size]): (typeof transitionRules)[number][] => [
      [
        'spec',
        `${path}.size cannot shrink`,
        build({ size: '2Gi' }),
        build({ size: '1Gi' }),
        build({ size: '3Gi' }),
      ],
      // The block appears: the volume has the default size.
      ['spec', `${path}.size cannot shrink`, build(), build({ size: '9Gi' }), build({ size })],
      // The block disappears: the volume would have the default size.
      [
        'spec',
        `${path}.size cannot shrink`,
        build({ size: '99Gi' }),
        build(),
        build({ size: '100Gi' }),
      ],
      [
        'spec',
        `${path}.storageClassName is immutable`,
        build({ size: '50Gi', storageClassName: 'a' }),
        build({ size: '50Gi', storageClassName: 'b' }),
        build({ size: '60Gi', storageClassName: 'a' }),
      ],
      [
        'spec',
        `${path}.storageClassName is immutable`,
        build(),
        build({ size, storageClassName: 'b' }),
        build({ size }),
      ],
    ]),
    [
      'spec.database.cloudNativePG.storage',
      'a volume cannot shrink',
      cnpg({ size: '2Gi' }),
      cnpg({ size: '1Gi' }),
      cnpg({ size: '3Gi' }),
    ],
    [
      'spec.database.cloudNativePG.storage',
      'storage class of a volume is immutable',
      cnpg({ size: '2Gi', storageClassName: 'a' }),
      cnpg({ size: '2Gi' }),
      cnpg({ size: '4Gi', storageClassName: 'a' }),
    ],
    [
      'spec',
      'objectStorage.volume.accessMode',
      files(),
      files({ accessMode: 'ReadWriteMany' }),
      files({ accessMode: 'ReadWriteOnce' }),
    ],
    [
      'spec',
      'objectStorage.volume.accessMode',
      files({ accessMode: 'ReadWriteMany' }),
      files(),
      files({ accessMode: 'ReadWriteMany', storage: { size: '30Gi' } }),
    ],
    [
      'spec',
      'search.managed.storage is immutable',
      qdrant({ storage }),
      qdrant({ storage: { size: '2Gi' } }),
      qdrant({ storage, replicas: 3 }),
    ],
    [
      'spec',
      'search.managed.storage is immutable',
      qdrant({ storage }),
      qdrant(),
      qdrant({ storage, replicas: 2 }),
    ],
    [
      'spec',
      'search.managed.storage is immutable',
      qdrant(),
      qdrant({ storage }),
      qdrant({ storage: { size: '10Gi' } }),
    ],
    [
      'spec',
      'search.managed.replicas cannot shrink',
      qdrant({ replicas: 3 }),
      qdrant({ replicas: 1 }),
      qdrant({ replicas: 3 }),
    ],
    [
      'spec',
      'search.managed.replicas cannot shrink',
      qdrant({ replicas: 3 }),
      qdrant(),
      qdrant({ replicas: 5 }),
    ],
  ]

export const seed = { suiteRef: { name: 'demo' }, packageIds: ['one'] }
export const seedRules: [path: string, message: string, bad: Spec, good: Spec][] = [
  [
    'spec',
    'dryRun and force are mutually exclusive',
    { ...seed, dryRun: true, force: true },
    { ...seed, force: true, dryRun: false },
  ],
  [
    'spec',
    'expectPlanHash cannot be combined',
    { ...seed, dryRun: true, expectPlanHash: 'h' },
    { ...seed, expectPlanHash: 'h' },
  ],
]
