import fc from 'fast-check'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { serviceNames } from '../api/service-table.ts'
import { buildSuite, minimalSpec } from './suites.ts'

/** Random suites that satisfy the CEL rules of the CRD. */
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/)
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,18}[a-z0-9]$/)
const secretKey = fc.record({ name, key: word })
const labels = fc.dictionary(word, word, { maxKeys: 4 })
const size = fc.constantFrom('1Gi', '500Mi', '20G', '2Ti')
const cpu = fc.constantFrom('50m', '250m', '1', '2', '0.5')
const memory = fc.constantFrom('64Mi', '512Mi', '1Gi', '4G')
const optionalRecord = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<{
    [K in keyof T]?: T[K] extends fc.Arbitrary<infer V> ? V : never
  }>

const resources = fc.oneof(
  fc.record({ requests: optionalRecord({ cpu, memory }) }),
  fc.record({ limits: optionalRecord({ cpu, memory }) }),
  fc
    .record({ requests: optionalRecord({ cpu, memory }) })
    .map(({ requests }) => ({ requests, limits: requests })),
)
const storage = fc.record({ size, storageClassName: name }, { requiredKeys: ['size'] })
const url = word.map((host) => `https://${host}.example.com/v1`)

const autoscaling = fc
  .tuple(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 0, max: 50 }),
    optionalRecord({
      cpuUtilization: fc.integer({ min: 1, max: 100 }),
      memoryUtilization: fc.integer({ min: 1, max: 100 }),
    }),
  )
  .map(([minReplicas, more, targets]) => ({
    minReplicas,
    maxReplicas: minReplicas + more,
    ...targets,
  }))

const variable = fc
  .tuple(
    fc.stringMatching(/^X_[A-Z]{1,8}$/),
    fc.oneof(
      fc.record({ value: fc.string({ maxLength: 40, unit: 'grapheme-ascii' }) }),
      fc.record({ secretKeyRef: secretKey }),
    ),
  )
  .map(([name, rest]) => ({ name, ...rest }))

const common = {
  resources,
  env: fc.uniqueArray(variable, { selector: (each) => each.name, maxLength: 5 }),
  nodeSelector: labels,
  tolerations: fc.array(
    optionalRecord({
      key: word,
      effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const),
    }).map((each) => ({ operator: 'Exists' as const, ...each })),
    { maxLength: 3 },
  ),
  topology: fc.uniqueArray(
    fc.record(
      {
        topologyKey: word,
        maxSkew: fc.integer({ min: 1, max: 5 }),
        whenUnsatisfiable: fc.constantFrom('DoNotSchedule' as const, 'ScheduleAnyway' as const),
      },
      { requiredKeys: ['topologyKey'] },
    ),
    { selector: (each) => each.topologyKey, maxLength: 3 },
  ),
}
const filesService = optionalRecord(common)
const service = fc.oneof(
  optionalRecord({ ...common, replicas: fc.integer({ min: 1, max: 100 }) }),
  optionalRecord({ ...common, autoscaling }),
)

const database: fc.Arbitrary<LegalSuiteSpec['database']> = fc.oneof(
  fc.record({
    type: fc.constant('External' as const),
    external: fc.record(
      {
        secretRef: secretKey,
        driver: fc.constantFrom('postgres' as const, 'neon' as const),
        cidrs: fc.uniqueArray(fc.constantFrom('10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'), {
          maxLength: 3,
        }),
      },
      { requiredKeys: ['secretRef'] },
    ),
  }),
  fc.record({
    type: fc.constant('CloudNativePG' as const),
    cloudNativePG: fc.record(
      { instances: fc.integer({ min: 1, max: 9 }), storage, resources },
      { requiredKeys: ['storage'] },
    ),
  }),
  fc.record(
    { type: fc.constant('Embedded' as const), embedded: optionalRecord({ storage, resources }) },
    { requiredKeys: ['type'] },
  ),
)
const search: fc.Arbitrary<LegalSuiteSpec['search']> = fc.oneof(
  fc.record({ type: fc.constant('Database' as const) }),
  fc.record(
    {
      type: fc.constant('Managed' as const),
      managed: optionalRecord({ replicas: fc.integer({ min: 1, max: 15 }), storage, resources }),
      index: word,
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('External' as const),
    external: fc.record({ url, apiKeySecretRef: secretKey }, { requiredKeys: ['url'] }),
  }),
)
const graph: fc.Arbitrary<LegalSuiteSpec['graph']> = fc.oneof(
  fc.record({ type: fc.constant('Disabled' as const) }),
  fc.record(
    { type: fc.constant('Managed' as const), managed: optionalRecord({ storage, resources }) },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('External' as const),
    external: fc.record(
      {
        url: word.map((host) => `neo4j://${host}:7687`),
        user: word,
        passwordSecretRef: secretKey,
        database: word,
      },
      { requiredKeys: ['url'] },
    ),
  }),
)
const objectStorage: fc.Arbitrary<LegalSuiteSpec['objectStorage']> = fc.oneof(
  fc.record(
    { type: fc.constant('Volume' as const), volume: optionalRecord({ storage }) },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('S3' as const),
    s3: fc.record(
      {
        bucket: word,
        endpoint: url,
        region: word,
        forcePathStyle: fc.boolean(),
        credentialsSecretRef: fc.record({ name }),
      },
      { requiredKeys: ['bucket', 'credentialsSecretRef'] },
    ),
  }),
)
const networkPeer = fc.record(
  { namespaceLabels: labels, podLabels: labels },
  { requiredKeys: ['podLabels'] },
)
const gateway: fc.Arbitrary<LegalSuiteSpec['gateway']> = fc.oneof(
  fc.record(
    {
      host: word,
      oidc: fc.record({ issuer: url, audience: word, clientId: word }),
      ingress: optionalRecord({ className: name }),
      tls: fc.record({ secretName: name }),
    },
    { requiredKeys: ['host', 'oidc', 'ingress'] },
  ),
  fc.record(
    {
      host: word,
      oidc: fc.record({ issuer: url, audience: word, clientId: word, clientSecretRef: secretKey }),
      httpRoute: fc.record({
        parentRef: fc.record({ name, namespace: name }, { requiredKeys: ['name'] }),
      }),
    },
    { requiredKeys: ['host', 'oidc'] },
  ),
)
const ai = optionalRecord({
  model: fc.record(
    {
      baseUrl: url,
      model: word,
      apiKeySecretRef: secretKey,
      timeoutSeconds: fc.integer({ min: 1, max: 600 }),
    },
    { requiredKeys: ['baseUrl', 'model'] },
  ),
  embedding: fc.record(
    {
      baseUrl: url,
      model: word,
      dimensions: fc.integer({ min: 1, max: 4096 }),
      apiKeySecretRef: secretKey,
    },
    { requiredKeys: ['baseUrl', 'model'] },
  ),
  rerank: fc.record({ url }),
})

const services = fc.record(
  Object.fromEntries(serviceNames.map((each) => [each, each === 'files' ? filesService : service])),
  { requiredKeys: [] },
) as fc.Arbitrary<NonNullable<LegalSuiteSpec['services']>>

const extraVolume = fc
  .tuple(
    fc.record({ name: word, mountPath: word.map((folder) => `/extra/${folder}`) }),
    fc.oneof(fc.record({ secretName: name }), fc.record({ configMapName: name })),
  )
  .map(([volume, source]) => ({ ...volume, ...source }))

const pods = optionalRecord({
  imagePullSecrets: fc.uniqueArray(name, { maxLength: 3 }),
  priorityClassName: name,
  nodeSelector: labels,
  tolerations: common.tolerations,
  affinity: fc.constantFrom({}, { nodeAffinity: {} }),
  labels,
  annotations: labels,
  volumes: fc.uniqueArray(extraVolume, { selector: (each) => each.name, maxLength: 3 }),
  userIds: fc.constantFrom('Fixed' as const, 'Assigned' as const),
})

const spec = fc
  .record(
    {
      version: fc.constantFrom('1.0.0', 'v2', '2026-11-15', 'a'.repeat(60)),
      image: fc.constantFrom(
        'legal-suite',
        'example.com:5000/legal/suite',
        `legal@sha256:${'ab'.repeat(32)}`,
      ),
      runtime: fc.constantFrom('Node' as const, 'Deno' as const),
      environment: fc.constantFrom('production' as const, 'staging' as const, 'dev' as const),
      services: services,
      pods,
      gateway,
      database,
      search,
      graph,
      objectStorage,
      ai,
      internalKey: fc.record({ secretName: name }),
      seeds: optionalRecord({
        packageIds: fc.uniqueArray(word, { maxLength: 4 }),
        resourcesOnStartup: fc.boolean(),
      }),
      networkPolicy: optionalRecord({
        enabled: fc.boolean(),
        egress: fc.constantFrom('Open' as const, 'Restricted' as const),
        gatewayFrom: fc.array(networkPeer, { maxLength: 2 }),
        metricsFrom: fc.array(networkPeer, { maxLength: 2 }),
      }),
      monitoring: optionalRecord({
        enabled: fc.boolean(),
        intervalSeconds: fc.integer({ min: 5, max: 600 }),
        labels,
      }),
      paused: fc.boolean(),
      hibernated: fc.boolean(),
      deletionPolicy: fc.constantFrom('Retain' as const, 'Delete' as const),
    },
    { requiredKeys: ['version', 'database'] },
  )
  .map(({ services, ...rest }) => {
    const { gateway: _, ...others } = services ?? {}
    const allowed = rest.gateway ? services : others
    return (services ? { ...rest, services: allowed } : rest) as LegalSuiteSpec
  })

export const suites = fc
  .tuple(spec, fc.stringMatching(/^[a-z][a-z0-9-]{0,38}[a-z0-9]$/))
  .map(([each, name]) => buildSuite({ ...minimalSpec, ...each }, { name }))
