import type { LegalSuite, LegalSuiteSpec } from '../api/legal-suite.ts'
import { apiVersion } from '../api/resource.ts'

/** The smallest valid spec. */
export const minimalSpec = {
  version: '1.2.3',
  database: { type: 'External', external: { secretRef: { name: 'db', key: 'url' } } },
} satisfies LegalSuiteSpec

export const buildSuite = (
  spec: Partial<LegalSuiteSpec> = {},
  metadata: Partial<LegalSuite['metadata']> = {},
): LegalSuite => ({
  apiVersion,
  kind: 'LegalSuite',
  metadata: { name: 'demo', namespace: 'legal', uid: 'u-1', generation: 1, ...metadata },
  spec: { ...minimalSpec, ...spec },
})

const resources = {
  requests: { cpu: '500m', memory: '1Gi' },
  limits: { cpu: '2', memory: '2Gi' },
}
const storage = { size: '50Gi', storageClassName: 'fast' }
const secret = (name: string, key = 'value') => ({ name, key })

/** A spec that sets every field. */
export const fullSpec: LegalSuiteSpec = {
  version: '2.0.0',
  image: 'registry.example.com/legal/suite',
  runtime: 'Deno',
  environment: 'production',
  services: {
    memory: { replicas: 3, resources },
    'ai-engine': {
      autoscaling: { minReplicas: 2, maxReplicas: 8, cpuUtilization: 60, memoryUtilization: 80 },
      env: [
        { name: 'LOG_LEVEL', value: 'debug' },
        { name: 'ENGINE_TOKEN', secretKeyRef: secret('engine-token') },
      ],
    },
    consultations: {
      replicas: 2,
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'legal', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
      topology: [
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
    files: { replicas: 2 },
    gateway: { replicas: 2 },
  },
  pods: {
    imagePullSecrets: ['registry'],
    priorityClassName: 'legal',
    nodeSelector: { pool: 'legal' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    labels: { team: 'legal' },
    annotations: { 'example.com/scan': 'yes' },
    volumes: [{ name: 'ca', mountPath: '/etc/ca', secretName: 'database-ca' }],
    userIds: 'Fixed',
  },
  gateway: {
    host: 'legal.example.com',
    ingress: { className: 'nginx', annotations: { 'example.com/size': '100m' } },
    tls: { secretName: 'legal-tls' },
    oidc: {
      issuer: 'https://login.example.com',
      audience: 'legal',
      clientId: 'legal-console',
      clientSecretRef: secret('oidc', 'client-secret'),
    },
  },
  database: { type: 'Embedded', embedded: { storage, image: 'postgres:18.1', resources } },
  search: { type: 'Managed', managed: { replicas: 3, storage, resources }, index: 'chunks_v2' },
  graph: { type: 'Managed', managed: { storage, resources } },
  objectStorage: {
    type: 'S3',
    s3: {
      bucket: 'files',
      endpoint: 'https://s3.example.com',
      region: 'eu-central-1',
      forcePathStyle: true,
      credentialsSecretRef: { name: 's3' },
    },
  },
  ai: {
    model: {
      baseUrl: 'https://models.example.com/v1',
      model: 'large',
      apiKeySecretRef: secret('model', 'key'),
      timeoutSeconds: 60,
    },
    embedding: {
      baseUrl: 'https://models.example.com/v1',
      model: 'embed',
      dimensions: 512,
      queryPrefix: 'query: ',
      apiKeySecretRef: secret('embedding', 'key'),
    },
    rerank: { url: 'https://rerank.example.com', timeoutSeconds: 2 },
  },
  internalKey: { secretName: 'our-key' },
  seeds: {
    packageIds: ['platform_defaults', 'knowledge_structured_seeds'],
    resourcesOnStartup: true,
  },
  networkPolicy: {
    enabled: true,
    egress: 'Restricted',
    gatewayFrom: [{ namespaceLabels: { 'kubernetes.io/metadata.name': 'ingress' } }],
    metricsFrom: [{ namespaceLabels: { role: 'metrics' }, podLabels: { app: 'prometheus' } }],
  },
  monitoring: { enabled: true, intervalSeconds: 15, labels: { release: 'prometheus' } },
  paused: false,
  hibernated: false,
  deletionPolicy: 'Retain',
}
