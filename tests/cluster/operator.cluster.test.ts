import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../operator/runtime/client.ts'
import { fullSpec } from '../../operator/testing/suites.ts'
import { installDefinitions } from './definitions.ts'
import { setUp } from './operator.ts'
import { clusterClient, eventually, noClusterReason } from './support.ts'

if (noClusterReason) console.log(`skipped: ${noClusterReason}`)

describe.skipIf(noClusterReason)('operator in a cluster', () => {
  let client: Client
  beforeAll(async () => {
    client = await clusterClient()
    await installDefinitions(client)
  })

  const writes = (calls: { verb: string; resource: string }[]) =>
    calls.filter(
      ({ verb, resource }) =>
        ['create', 'update', 'patch', 'delete'].includes(verb) &&
        !['leases', 'events'].includes(resource),
    )

  test('a suite is rolled out, drift is corrected, and then nothing is written', async () => {
    const at = await setUp(client)
    await at.suite()
    const { status } = await at.settled()
    expect(status).toMatchObject({ phase: 'Ready', ready: '8/8', version: '1.2.3' })
    expect(await at.list('Pod')).toHaveLength(9)

    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 3 } })
    await eventually(async () =>
      expect((await at.get('Deployment', 'demo-memory')).spec.replicas).toBe(1),
    )
    await at.remove('Service', 'demo-matter')
    await eventually(async () => expect(await at.get('Service', 'demo-matter')).toBeDefined())
    await at.patch('ServiceAccount', 'demo-files', { automountServiceAccountToken: true })
    await eventually(async () =>
      expect((await at.get('ServiceAccount', 'demo-files')).automountServiceAccountToken).toBe(
        false,
      ),
    )
    await at.settled()

    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = writes(at.operator.calls).length
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(writes(at.operator.calls).slice(before)).toEqual([])
  })

  test('the full spec is rolled out and stays unchanged', async () => {
    const at = await setUp(client)
    for (const [name, key] of [
      ['engine-token', 'value'],
      ['oidc', 'client-secret'],
      ['model', 'key'],
      ['embedding', 'key'],
    ] as const)
      await at.create(secret(name, { [key]: 'x' }))
    await at.create(secret('s3', { 'access-key-id': 'x', 'secret-access-key': 'y' }))
    await at.create(secret('our-key', { current: 'a-key-of-our-own-that-is-long', accepted: '' }))
    await at.suite(fullSpec)
    const { status } = await at.settled()
    expect(status).toMatchObject({ ready: '9/9', seeds: { state: 'Applied' } })
    expect(status!.conditions).toContainEqual(
      expect.objectContaining({ type: 'BackendsReady', status: 'True' }),
    )
    expect((await at.list('StatefulSet')).map(({ metadata }) => metadata.name)).toEqual([
      'demo-neo4j',
      'demo-postgres',
      'demo-qdrant',
    ])
    expect(await at.get('ServiceMonitor', 'demo-metrics')).toBeDefined()
    expect(await at.get('Ingress', 'demo-gateway')).toBeDefined()
    const scaled = await at.get('Deployment', 'demo-ai-engine')
    expect(scaled.metadata.managedFields[0].fieldsV1['f:spec']).not.toHaveProperty('f:replicas')
    // Wait for the autoscaler.
    await eventually(async () => {
      const { services } = (await at.settled()).status!
      expect(services!.find(({ name }) => name === 'ai-engine')?.available).toBe(2)
    })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = writes(at.operator.calls).length
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(writes(at.operator.calls).slice(before)).toEqual([])
  })

  test('obsolete objects are pruned and data is retained', async () => {
    const at = await setUp(client)
    const ingress = {
      host: 'a.example.com',
      ingress: {},
      oidc: { issuer: 'https://b.c', audience: 'd' },
    }
    await at.suite({ gateway: ingress, graph: { type: 'Managed' } })
    await at.settled()
    await at.patch('LegalSuite', 'demo', { spec: { gateway: null, graph: null } })
    await at.settled()
    await eventually(async () => {
      expect(await at.get('Ingress', 'demo-gateway')).toBeUndefined()
      expect(await at.get('Deployment', 'demo-gateway')).toBeUndefined()
      expect(await at.get('StatefulSet', 'demo-neo4j')).toBeUndefined()
    })
    expect(await at.get('PersistentVolumeClaim', 'demo-neo4j')).toBeDefined()
    expect(await at.get('Secret', 'demo-neo4j')).toBeDefined()
  })

  test('a foreign object is unchanged until it is adopted', async () => {
    const at = await setUp(client)
    const spec = { selector: { app: 'other' }, ports: [{ name: 'other', port: 81 }] }
    await at.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'demo-files' }, spec })
    await at.suite()
    await eventually(async () => {
      const { status } = await at.get('LegalSuite', 'demo')
      const stalled = status?.conditions?.find(({ type }: { type: string }) => type === 'Stalled')
      expect(stalled).toMatchObject({ status: 'True', reason: 'ForeignObject' })
    })
    expect((await at.get('Service', 'demo-files')).spec.ports[0].port).toBe(81)
    const annotations = { 'legalsuite.dev/adopt': 'true' }
    await at.patch('Service', 'demo-files', { metadata: { annotations } })
    await at.settled()
    const adopted = await at.get('Service', 'demo-files')
    expect(adopted.spec.selector['app.kubernetes.io/name']).toBe('files')
  })

  test('a suite pauses, hibernates and resumes', async () => {
    const at = await setUp(client)
    await at.suite({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
    await at.settled()
    await at.patch('LegalSuite', 'demo', { spec: { paused: true, version: '9.9.9' } })
    const phase = async () => (await at.get('LegalSuite', 'demo')).status.phase
    await eventually(async () => expect(await phase()).toBe('Paused'))
    await at.patch('Deployment', 'demo-memory', { metadata: { annotations: { mine: 'yes' } } })
    const image = async (name: string) =>
      (await at.get('Deployment', name)).spec.template.spec.containers[0].image
    expect(await image('demo-memory')).toBe('legal-suite:1.2.3')

    await at.patch('LegalSuite', 'demo', { spec: { paused: false, hibernated: true } })
    await eventually(async () => expect(await phase()).toBe('Hibernated'))
    await eventually(async () => {
      const pods = await at.list('Pod')
      expect(pods.filter(({ status }) => status.phase === 'Running')).toEqual([])
    })
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: false } })
    const { status } = await at.settled()
    expect(status).toMatchObject({ phase: 'Ready', version: '9.9.9', ready: '8/8' })
    expect((await at.get('Deployment', 'demo-matter')).spec.replicas).toBeGreaterThanOrEqual(2)
  })

  test('a failing migration stops the rollout, and a fixed version continues', async () => {
    const at = await setUp(client)
    await at.suite()
    await at.settled()
    const generations = async () =>
      (await at.list('Deployment')).map(({ metadata }) => metadata.generation)
    const before = await generations()
    await at.patch('LegalSuite', 'demo', { spec: { version: 'bad-1' } })
    await eventually(async () => {
      const { status } = await at.get('LegalSuite', 'demo')
      expect(status.phase).toBe('Stalled')
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ reason: 'MigrationFailed' }),
      )
    }, 120_000)
    expect(await generations()).toEqual(before)
    await at.patch('LegalSuite', 'demo', { spec: { version: '1.2.4' } })
    expect((await at.settled()).status).toMatchObject({ version: '1.2.4', phase: 'Ready' })
  })

  test('a deleted suite deletes all objects except data', async () => {
    const at = await setUp(client)
    await at.suite({ database: { type: 'Embedded' } })
    const before = await at.settled()
    await at.remove('LegalSuite', 'demo')
    await eventually(async () => {
      expect(await at.list('Deployment')).toEqual([])
      expect(await at.list('NetworkPolicy')).toEqual([])
      expect((await at.list('Secret')).map(({ metadata }) => metadata.name)).not.toContain(
        'demo-internal-key',
      )
    }, 60_000)
    const volumes = (await at.list('PersistentVolumeClaim')).map(({ metadata }) => metadata.name)
    expect(volumes).toEqual(['demo-files', 'demo-postgres'])
    const password = (await at.get('Secret', 'demo-postgres')).data

    await at.suite({ database: { type: 'Embedded' }, deletionPolicy: 'Delete' })
    const after = await at.settled()
    expect(after.metadata.uid).not.toBe(before.metadata.uid)
    expect((await at.get('Secret', 'demo-postgres')).data).toEqual(password)
    await at.remove('LegalSuite', 'demo')
    await eventually(async () => {
      const left = await at.list('PersistentVolumeClaim')
      expect(left.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([])
      expect(await at.get('Secret', 'demo-postgres')).toBeUndefined()
    }, 60_000)
  })
})

const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
})
