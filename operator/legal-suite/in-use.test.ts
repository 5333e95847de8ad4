import { describe, expect, test } from 'vitest'
import {
  condition,
  eventually,
  names,
  type Staged,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

const embedded = { database: { type: 'Embedded' } } as const
const external = (name: string) => ({
  database: { type: 'External', external: { secretRef: { name, key: 'url' } }, embedded: null },
})
const edit = (at: Staged, spec: object) => at.patch('LegalSuite', 'demo', { spec })
const suite = (at: Staged) => at.get('LegalSuite', 'demo')
const listRetained = (at: Staged): string[] =>
  (suite(at).status.retained ?? []).map(({ kind, name }: any) => `${kind} ${name}`).sort()
const owners = (at: Staged, kind: string, name: string) =>
  at.get(kind, name).metadata.ownerReferences ?? []

async function startEmbedded(spec: object = {}) {
  const at = startOperator()
  await at.suite({ ...embedded, ...spec })
  await waitUntilReady(at)
  return at
}

describe('pruning', () => {
  test('a database that running pods use stays while the Secret of the next one is missing', async () => {
    const at = await startEmbedded({ deletionPolicy: 'Delete' })
    await edit(at, external('absent'))
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'SecretNotFound' }))
    await settleDelay()
    expect(names(at, 'StatefulSet')).toEqual(['demo-postgres'])
    expect(names(at, 'Service')).toContain('demo-postgres')
    expect(names(at, 'NetworkPolicy')).toContain('demo-allow-postgres')
    expect(names(at, 'ServiceAccount')).toContain('demo-postgres')
  })

  test('an obsolete database is deleted after the last pod that used it was replaced', async () => {
    const at = await startEmbedded()
    await at.secret('db', { url: 'postgres://x' })
    await edit(at, external('db'))
    await eventually(async () => {
      await at.settle(/migrate|platform|files|memory$|knowledge|matter|ai-engine|consult/)
      expect(at.get('Deployment', 'demo-collector').metadata.generation).toBe(2)
    })
    await settleDelay()
    expect(names(at, 'StatefulSet')).toEqual(['demo-postgres'])
    await waitUntilReady(at)
    await eventually(() => expect(names(at, 'StatefulSet')).toEqual([]))
    await eventually(() => expect(names(at, 'Service')).not.toContain('demo-postgres'))
    await eventually(() => expect(names(at, 'ServiceAccount')).not.toContain('demo-postgres'))
  })

  test('egress to an external database stays open until the pods are replaced', async () => {
    const at = await startReadySuite()
    await edit(at, { database: { type: 'Embedded', external: null } })
    await eventually(() => expect(names(at, 'StatefulSet')).toEqual(['demo-postgres']))
    await settleDelay()
    expect(names(at, 'NetworkPolicy').join()).toContain('demo-allow-database-')
    await waitUntilReady(at)
    await eventually(() =>
      expect(names(at, 'NetworkPolicy').join()).not.toContain('demo-allow-database-'),
    )
  })

  test('the Service of a removed gateway stays until its Deployment is gone', async () => {
    const gateway = {
      host: 'a.example.com',
      oidc: { issuer: 'https://x.example', audience: 'a', clientId: 'legal' },
    }
    const at = await startReadySuite({ gateway })
    await at.patch('Deployment', 'demo-gateway', { metadata: { finalizers: ['test/pods'] } })
    await edit(at, { gateway: null })
    await eventually(async () => {
      await at.settle()
      expect(at.get('Deployment', 'demo-gateway').metadata.deletionTimestamp).toBeDefined()
    })
    await settleDelay()
    expect(names(at, 'Service')).toContain('demo-gateway')
    await at.patch('Deployment', 'demo-gateway', { metadata: { finalizers: null } })
    await eventually(() => expect(names(at, 'Service')).not.toContain('demo-gateway'))
  })
})

describe('data', () => {
  test('Volume to S3 retains the volume under deletionPolicy Delete and lists it', async () => {
    const at = await startReadySuite({ deletionPolicy: 'Delete' })
    await at.secret('s3', { 'access-key-id': 'a', 'secret-access-key': 'b' })
    const s3 = { bucket: 'b', credentialsSecretRef: { name: 's3' } }
    await edit(at, { objectStorage: { type: 'S3', s3 } })
    await waitUntilReady(at)
    expect(names(at, 'PersistentVolumeClaim')).toEqual(['demo-files'])
    await eventually(() => expect(listRetained(at)).toEqual(['PersistentVolumeClaim demo-files']))
    // The deletion policy still applies when the suite is deleted.
    expect(owners(at, 'PersistentVolumeClaim', 'demo-files')).toHaveLength(1)
    await edit(at, { deletionPolicy: 'Retain' })
    await eventually(() => expect(owners(at, 'PersistentVolumeClaim', 'demo-files')).toEqual([]))
    await edit(at, { objectStorage: { type: 'Volume', s3: null } })
    await waitUntilReady(at)
    await eventually(() => expect(listRetained(at)).toEqual([]))
  })

  test('retained data is deleted only on a request that names its uid', async () => {
    const at = await startEmbedded()
    await at.secret('db', { url: 'postgres://x' })
    await edit(at, external('db'))
    await waitUntilReady(at)
    const expected = ['PersistentVolumeClaim demo-postgres', 'Secret demo-postgres']
    await eventually(() => expect(listRetained(at)).toEqual(expected))
    const { uid } = at.get('PersistentVolumeClaim', 'demo-postgres').metadata
    const request = (value: string) =>
      at.patch('LegalSuite', 'demo', {
        metadata: { annotations: { 'legalsuite.dev/remove-retained': value } },
      })
    await request('demo-postgres')
    await settleDelay()
    expect(names(at, 'PersistentVolumeClaim')).toContain('demo-postgres')
    await request(`x, ${uid}`)
    await eventually(() => expect(names(at, 'PersistentVolumeClaim')).toEqual(['demo-files']))
    await eventually(() => expect(listRetained(at)).toEqual(['Secret demo-postgres']))
    await eventually(async () =>
      expect((await at.events()).map(({ reason }: any) => reason)).toContain('RetainedRemoved'),
    )
  })

  test('a StatefulSet with volumes of its own is scaled to zero and retained', async () => {
    const at = await startReadySuite({ search: { type: 'Managed' }, deletionPolicy: 'Delete' })
    await edit(at, { search: { type: 'Database' } })
    await waitUntilReady(at)
    await eventually(async () => {
      await at.settle()
      expect(at.get('StatefulSet', 'demo-qdrant').spec.replicas).toBe(0)
      expect(names(at, 'Service')).not.toContain('demo-qdrant')
    })
    expect(listRetained(at)).toEqual(['StatefulSet demo-qdrant'])
  })

  test('Delete to Retain removes the owner reference of generated passwords', async () => {
    const at = await startEmbedded({ deletionPolicy: 'Delete' })
    await eventually(() => expect(owners(at, 'Secret', 'demo-postgres')).toHaveLength(1))
    // Another field manager owns the reference too.
    const [reference] = owners(at, 'Secret', 'demo-postgres')
    await at.client.apply(
      { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'demo-postgres', namespace: 'legal', ownerReferences: [reference] },
      },
      { fieldManager: 'second' },
    )
    await edit(at, { deletionPolicy: 'Retain' })
    await eventually(() => expect(owners(at, 'Secret', 'demo-postgres')).toEqual([]))
    await eventually(() => expect(owners(at, 'PersistentVolumeClaim', 'demo-postgres')).toEqual([]))
  })

  test('a lost password of an existing volume stalls the suite and is not replaced', async () => {
    const at = await startEmbedded()
    await at.remove('Secret', 'demo-postgres')
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'PasswordLost' }))
    expect(at.ready()!.message).toContain('PersistentVolumeClaim demo-postgres')
    await settleDelay()
    expect(names(at, 'Secret')).not.toContain('demo-postgres')
  })
})

describe('optional APIs', () => {
  const cnpg = { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } }
  const gateway = {
    host: 'a.example.com',
    oidc: { issuer: 'https://x.example', audience: 'a', clientId: 'legal' },
    httpRoute: { parentRef: { name: 'edge' } },
  }

  test('a failed discovery deletes neither the Cluster nor the HTTPRoute', async () => {
    const served: Record<string, string[]> = {
      'postgresql.cnpg.io': ['clusters'],
      'gateway.networking.k8s.io': ['httproutes'],
    }
    const at = startOperator({ served, discoveryMaxAgeMs: 50 })
    await at.suite({ database: cnpg as never, gateway })
    await eventually(() => expect(names(at, 'Cluster')).toEqual(['demo-pg']))
    await at.secret('demo-pg-app', { uri: 'postgres://x' })
    await at.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await waitUntilReady(at)
    const gone = { ...served }
    for (const group of Object.keys(served)) delete served[group]
    await settleDelay()
    await edit(at, { version: '2.0.0' })
    await settleDelay()
    await settleDelay()
    Object.assign(served, gone)
    expect(names(at, 'Cluster')).toEqual(['demo-pg'])
    expect(names(at, 'HTTPRoute')).toEqual(['demo-gateway'])
    await waitUntilReady(at)
    const inventory = suite(at).status.inventory.map(({ kind }: any) => kind)
    expect(inventory).toContain('Cluster')
    expect(inventory).toContain('HTTPRoute')
  })
})

describe('availability', () => {
  test('an autoscaled Deployment at zero is scaled up again', async () => {
    const at = await startReadySuite({ services: { matter: { autoscaling: { maxReplicas: 4 } } } })
    await at.patch('Deployment', 'demo-matter', { spec: { replicas: 0 } })
    await eventually(() => expect(at.get('Deployment', 'demo-matter').spec.replicas).toBe(2))
  })

  test('2 of 3 available pods are Ready and Degraded, and do not hold back a change', async () => {
    const at = await startReadySuite({ services: { memory: { replicas: 3 } } })
    const { status } = at.get('Deployment', 'demo-memory')
    const degraded = { ...status, readyReplicas: 2, availableReplicas: 2 }
    await at.patch('Deployment', 'demo-memory', { status: degraded }, 'status')
    await eventually(() => expect(condition(suite(at), 'Degraded')?.status).toBe('True'))
    expect(condition(suite(at), 'Degraded')!.message).toBe('memory: 2 of 3 pods available')
    expect(at.ready()?.status).toBe('True')
    await edit(at, {
      services: { gateway: null, collector: { env: [{ name: 'X_A', value: '1' }] } },
    })
    await eventually(() =>
      expect(
        at.get('Deployment', 'demo-collector').spec.template.spec.containers[0].env,
      ).toContainEqual({ name: 'X_A', value: '1' }),
    )
  })
})

describe('identity of a suite', () => {
  test('pods are not restarted when a suite is orphaned and created again', async () => {
    const at = await startReadySuite()
    const before = at.list('Deployment').map(({ spec }) => spec.template)
    const spec = suite(at).spec
    await at.remove('LegalSuite', 'demo')
    // kubectl delete --cascade=orphan removes the owner references.
    for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'Job'])
      for (const { metadata } of at.list(kind))
        await at.patch(kind, metadata.name, { metadata: { ownerReferences: null } })
    for (const kind of ['NetworkPolicy', 'Secret', 'PersistentVolumeClaim'])
      for (const { metadata } of at.list(kind))
        await at.patch(kind, metadata.name, { metadata: { ownerReferences: null } })
    await at.suite(spec)
    await waitUntilReady(at)
    expect(at.list('Deployment').map(({ spec }) => spec.template)).toEqual(before)
  })

  test('the digest of a weak Secret cannot be guessed from a Deployment', async () => {
    const at = await startReadySuite()
    const other = await startReadySuite()
    const digest = (each: Staged) =>
      each.get('Deployment', 'demo-memory').spec.template.metadata.annotations[
        'legalsuite.dev/secrets'
      ]
    // The same Secret gives different digests, because the key of the digest is random.
    expect(digest(at)).not.toBe(digest(other))
  })
})
