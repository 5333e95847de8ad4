import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../operator/runtime/client.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { fullSpec } from '../../operator/testing/suites.ts'
import { setUp } from './operator.ts'
import { clusterClient, eventually } from './support.ts'

describe('operator in a cluster', () => {
  let client: Client
  beforeAll(async () => {
    client = await clusterClient()
  })

  const countWrites = (calls: { verb: string; resource: string }[]) =>
    calls.filter(
      ({ verb, resource }) =>
        ['create', 'update', 'patch', 'delete'].includes(verb) &&
        !['leases', 'events'].includes(resource),
    ).length

  /** Waits for three resync periods without a write. */
  const noWrites = (calls: { verb: string; resource: string }[]) =>
    eventually(async () => {
      const before = countWrites(calls)
      await new Promise((resolve) => setTimeout(resolve, 6_000))
      expect(countWrites(calls)).toBe(before)
    })

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
    await addVariable(client, at.namespace, 'demo-matter')
    await eventually(async () => {
      const { spec } = await at.get('Deployment', 'demo-matter')
      const names = spec.template.spec.containers[0].env.map(({ name }: any) => name)
      expect(names).not.toContain('DEBUG')
      const { conditions } = (await at.get('LegalSuite', 'demo')).status
      const drift = conditions.find(({ type }: any) => type === 'DriftDetected')
      expect(drift?.message).toContain('containers[matter].env[DEBUG] (set by somebody)')
    })
    await at.settled()

    await noWrites(at.operator.calls)
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
    await at.create(secret('database-ca', { 'ca.crt': 'x' }))
    await at.create(secret('our-key', { current: 'a-key-of-our-own-that-is-long', accepted: '' }))
    await ensurePriorityClass(client, fullSpec.pods!.priorityClassName!)
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
    await noWrites(at.operator.calls)
  })

  test('obsolete objects are pruned and data is retained', async () => {
    const at = await setUp(client)
    const ingress = {
      host: 'a.example.com',
      ingress: {},
      oidc: { issuer: 'https://b.c', audience: 'd', clientId: 'legal' },
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
})

const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
})

/** The API server rejects pods of an unknown priority class. */
async function ensurePriorityClass(client: Client, name: string) {
  const type = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
  const resource = {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    namespaced: false,
  }
  await client.apply(resource, { ...type, metadata: { name }, value: 1 }, { fieldManager: 'tests' })
}

/** Adds an environment variable as another field manager, so that the operator does not own it. */
async function addVariable(client: Client, namespace: string, name: string) {
  const env = [{ name: 'DEBUG', value: '1' }]
  const template = { spec: { containers: [{ name: 'matter', env }] } }
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } }
  await client.apply(
    getResource('apps/v1', 'Deployment'),
    { ...body, spec: { template } },
    { fieldManager: 'somebody' },
  )
}
