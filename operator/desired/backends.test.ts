import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { containerVariables, find, listNames } from '../testing/queries.ts'
import { buildSuite, fullSpec } from '../testing/suites.ts'
import { dataLabel } from './common.ts'
import { generatedSecrets } from './generated-secrets.ts'
import { desired } from './index.ts'

const of = (spec: Partial<LegalSuiteSpec> = {}) => desired(buildSuite(spec))
const variables = (spec: Partial<LegalSuiteSpec>, name: string) =>
  containerVariables(of(spec), `demo-${name}`)

describe('database', () => {
  test('External uses the configured Secret and driver', () => {
    const external = { secretRef: { name: 'pg', key: 'dsn' } }
    expect(variables({ database: { type: 'External', external } }, 'memory')).toMatchObject({
      DATABASE_URL: 'secret:pg/dsn',
      DATABASE_DRIVER: 'postgres',
    })
    const neon = { ...external, driver: 'neon' as const, websocketProxy: 'relay.example.com/v2' }
    expect(variables({ database: { type: 'External', external: neon } }, 'memory')).toMatchObject({
      DATABASE_DRIVER: 'neon',
      NEON_WS_PROXY: 'relay.example.com/v2',
    })
  })

  test('Embedded creates one PostgreSQL with a volume and a generated password', () => {
    const spec = { database: { type: 'Embedded' } } as const
    const objects = of(spec)
    expect(find(objects, 'StatefulSet', 'demo-postgres').spec.replicas).toBe(1)
    const volume = find(objects, 'PersistentVolumeClaim', 'demo-postgres')
    expect(volume.spec.resources.requests.storage).toBe('10Gi')
    expect(volume.metadata.labels[dataLabel]).toBe('true')
    expect(variables(spec, 'memory').DATABASE_URL).toBe('secret:demo-postgres/url')
    const secret = generatedSecrets(buildSuite(spec)).find(({ name }) => name === 'demo-postgres')
    expect(secret!.labels[dataLabel]).toBe('true')
    expect(secret!.values(() => 'pw')).toEqual({
      password: 'pw',
      url: 'postgres://legal:pw@demo-postgres:5432/legal',
    })
  })

  test('Embedded uses the configured storage, image and resources', () => {
    const objects = of(fullSpec)
    const volume = find(objects, 'PersistentVolumeClaim', 'demo-postgres').spec
    expect(volume).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '50Gi' } },
    })
    const [container] = find(objects, 'StatefulSet', 'demo-postgres').spec.template.spec.containers
    expect(container.resources.limits).toMatchObject({ cpu: '2', memory: '2Gi' })
  })

  test('CloudNativePG creates a Cluster that hibernates with the suite', () => {
    const cloudNativePG = {
      instances: 2,
      storage: { size: '5Gi', storageClassName: 'fast' },
      imageName: 'pg:18',
    }
    const spec = { database: { type: 'CloudNativePG', cloudNativePG } } as const
    const cluster = find(of(spec), 'Cluster', 'demo-pg')
    expect(cluster.spec).toMatchObject({
      instances: 2,
      imageName: 'pg:18',
      storage: { size: '5Gi', storageClass: 'fast' },
      bootstrap: { initdb: { database: 'legal', owner: 'legal' } },
    })
    expect(cluster.metadata.annotations).toEqual({ 'cnpg.io/hibernation': 'off' })
    expect(variables(spec, 'memory').DATABASE_URL).toBe('secret:demo-pg-app/uri')
    const asleep = find(of({ ...spec, hibernated: true }), 'Cluster', 'demo-pg')
    expect(asleep.metadata.annotations).toEqual({ 'cnpg.io/hibernation': 'on' })
  })
})

describe('search', () => {
  test('Database creates no objects', () => {
    expect(variables({}, 'knowledge').KNOWLEDGE_SEARCH_BACKEND).toBe('database')
    expect(listNames(of(), 'StatefulSet')).toEqual([])
  })

  test('Managed creates one Qdrant, or a cluster with more replicas', () => {
    const one = of({ search: { type: 'Managed' } })
    const [single] = find(one, 'StatefulSet', 'demo-qdrant').spec.template.spec.containers
    expect(single.command).toBeUndefined()
    const objects = of(fullSpec)
    const { spec } = find(objects, 'StatefulSet', 'demo-qdrant')
    expect(spec).toMatchObject({ replicas: 3, serviceName: 'demo-qdrant-peers' })
    const [container] = spec.template.spec.containers
    expect(container.env).toContainEqual({ name: 'QDRANT__CLUSTER__ENABLED', value: 'true' })
    expect(container.command[2]).toContain(
      '--bootstrap http://demo-qdrant-0.demo-qdrant-peers:6335',
    )
    expect(spec.volumeClaimTemplates[0].spec.storageClassName).toBe('fast')
    expect(variables(fullSpec, 'knowledge')).toMatchObject({
      KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
      KNOWLEDGE_SEARCH_INDEX: 'chunks_v2',
      QDRANT_URL: 'http://demo-qdrant:6333',
      QDRANT_API_KEY: 'secret:demo-qdrant/api-key',
    })
  })

  test('External uses the configured URL and API key', () => {
    const external = { url: 'https://q.example.com', apiKeySecretRef: { name: 'q', key: 'k' } }
    expect(variables({ search: { type: 'External', external } }, 'knowledge')).toMatchObject({
      QDRANT_URL: 'https://q.example.com',
      QDRANT_API_KEY: 'secret:q/k',
    })
  })
})

describe('graph', () => {
  test('graph is disabled by default', () => {
    expect(variables({}, 'knowledge').LEGAL_GRAPH_ENABLED).toBe('false')
  })

  test('Managed creates a Neo4j with a volume and a generated password', () => {
    const objects = of(fullSpec)
    expect(find(objects, 'StatefulSet', 'demo-neo4j').spec.replicas).toBe(1)
    expect(find(objects, 'PersistentVolumeClaim', 'demo-neo4j').spec.storageClassName).toBe('fast')
    expect(variables(fullSpec, 'knowledge')).toMatchObject({
      LEGAL_GRAPH_ENABLED: 'true',
      NEO4J_URL: 'bolt://demo-neo4j:7687',
      NEO4J_PASSWORD: 'secret:demo-neo4j/password',
    })
  })

  test('External uses the configured URL, user and password', () => {
    const external = {
      url: 'neo4j+s://g.example.com',
      user: 'legal',
      passwordSecretRef: { name: 'g', key: 'p' },
      database: 'laws',
    }
    expect(variables({ graph: { type: 'External', external } }, 'knowledge')).toMatchObject({
      NEO4J_URL: 'neo4j+s://g.example.com',
      NEO4J_USER: 'legal',
      NEO4J_PASSWORD: 'secret:g/p',
      NEO4J_DATABASE: 'laws',
    })
  })
})

describe('objectStorage', () => {
  test('a ReadWriteOnce volume is shared on one node, so that an update rolls over', () => {
    const objects = of()
    expect(variables({}, 'files')).toMatchObject({ FILES_STORAGE: 'fs', FILES_DIR: '/data/files' })
    const { strategy, template } = find(objects, 'Deployment', 'demo-files').spec
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    const [sameNode] =
      template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
    expect(sameNode.topologyKey).toBe('kubernetes.io/hostname')
    expect(sameNode.labelSelector.matchLabels).toEqual({
      'app.kubernetes.io/name': 'files',
      'app.kubernetes.io/instance': 'demo',
    })
    expect(find(objects, 'PersistentVolumeClaim', 'demo-files').spec.accessModes).toEqual([
      'ReadWriteOnce',
    ])
  })

  test('pods with a ReadWriteMany volume or S3 are not bound to one node', () => {
    const volume = { accessMode: 'ReadWriteMany', storage: { size: '1Ti' } } as const
    const objects = of({ objectStorage: { type: 'Volume', volume } })
    expect(find(objects, 'Deployment', 'demo-files').spec.template.spec.affinity).toBeUndefined()
    const onS3 = find(of(fullSpec), 'Deployment', 'demo-files').spec.template.spec
    expect(onS3.affinity?.podAffinity).toBeUndefined()
    expect(find(objects, 'PersistentVolumeClaim', 'demo-files').spec).toEqual({
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '1Ti' } },
    })
  })

  test('S3 creates no volume', () => {
    expect(listNames(of(fullSpec), 'PersistentVolumeClaim')).not.toContain('demo-files')
    expect(variables(fullSpec, 'files')).toMatchObject({
      FILES_STORAGE: 's3',
      S3_BUCKET: 'files',
      S3_ENDPOINT: 'https://s3.example.com',
      S3_REGION: 'eu-central-1',
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: 'secret:s3/access-key-id',
      S3_SECRET_ACCESS_KEY: 'secret:s3/secret-access-key',
    })
  })
})

describe('deletionPolicy', () => {
  test('sets the retention policy of StatefulSet volumes', () => {
    const policy = (spec: Partial<LegalSuiteSpec>) =>
      find(of({ ...fullSpec, ...spec }), 'StatefulSet', 'demo-qdrant').spec
        .persistentVolumeClaimRetentionPolicy.whenDeleted
    expect(policy({})).toBe('Retain')
    expect(policy({ deletionPolicy: 'Delete' })).toBe('Delete')
  })
})
