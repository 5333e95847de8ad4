import { describe, expect, test } from 'vitest'
import { aWhile, condition, names, rolledOut, set, settled, until } from '../testing/set.ts'

describe('paused', () => {
  test('nothing is written but the status; all is put right when it is resumed', async () => {
    const at = await rolledOut()
    await at.patch('LegalSuite', 'demo', { spec: { paused: true, version: '3' } })
    await until(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Paused'))
    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 7 } })
    await aWhile()
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(7)
    const suite = at.get('LegalSuite', 'demo')
    expect(condition(suite, 'Paused')?.status).toBe('True')
    expect(suite.status.observedGeneration).toBe(1)
    await at.patch('LegalSuite', 'demo', { spec: { paused: false } })
    await settled(at)
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(1)
    expect(condition(at.get('LegalSuite', 'demo'), 'Paused')).toBeUndefined()
  })
})

describe('hibernated', () => {
  test('everything sleeps, and wakes in order', async () => {
    const at = await rolledOut({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: true } })
    await until(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Hibernated'))
    for (const { spec } of at.list('Deployment')) expect(spec.replicas).toBe(0)
    expect(names(at, 'HorizontalPodAutoscaler')).toEqual([])
    await at.settle()
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: false } })
    await until(() => expect(names(at, 'Job')).toHaveLength(1))
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(0)
    await settled(at)
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(1)
    expect(at.get('Deployment', 'demo-matter').spec.replicas).toBe(2)
  })
})

describe('a key of your own', () => {
  test('is waited for, and told by its id', async () => {
    const at = set()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ internalKey: { secretName: 'ours' } })
    await until(async () => {
      await at.settle()
      expect(at.ready()).toMatchObject({ reason: 'SecretNotFound' })
      expect(at.ready()!.message).toContain('ours/current')
    })
    expect(names(at, 'Deployment')).toEqual([])
    await at.secret('ours', { current: 'a-key-of-our-own' })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await settled(at)
    expect(at.get('LegalSuite', 'demo').status.internalKey).toMatchObject({ secretName: 'ours' })
    expect(names(at, 'Secret')).not.toContain('demo-internal-key')
  })
})

describe('what is not ours', () => {
  const foreign = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'demo-memory', namespace: 'legal' },
    spec: { ports: [{ port: 1 }] },
  }

  test('is left alone and reported, until it is given to us or goes away', async () => {
    const at = set()
    await at.secret('db', { url: 'postgres://x' })
    await at.create(foreign)
    await at.suite()
    await until(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
    expect(at.ready()!.message).toContain('Service demo-memory')
    expect(at.get('Service', 'demo-memory').spec.ports[0].port).toBe(1)
    await at.patch('Service', 'demo-memory', {
      metadata: { annotations: { 'legalsuite.dev/adopt': 'true' } },
    })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await settled(at)
    expect(at.get('Service', 'demo-memory').metadata.labels['legalsuite.dev/suite']).toBe('demo')
  })

  test('a Secret that has the name of ours is not used', async () => {
    const at = set()
    await at.secret('demo-internal-key', { current: 'somebody-elses' })
    await at.suite()
    await until(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
    expect(names(at, 'Service')).toEqual([])
  })
})

describe('data', () => {
  test('outlives a suite unless it says otherwise', async () => {
    const at = set()
    await at.suite({ database: { type: 'Embedded' } })
    await settled(at)
    const owners = (kind: string, name: string) => at.get(kind, name).metadata.ownerReferences ?? []
    expect(owners('PersistentVolumeClaim', 'demo-postgres')).toEqual([])
    expect(owners('Secret', 'demo-postgres')).toEqual([])
    expect(owners('Secret', 'demo-internal-key')).toHaveLength(1)
    await at.patch('LegalSuite', 'demo', { spec: { deletionPolicy: 'Delete' } })
    await until(() => expect(owners('PersistentVolumeClaim', 'demo-postgres')).toHaveLength(1))
    await until(() => expect(owners('Secret', 'demo-postgres')).toHaveLength(1))
  })

  test('stays when another database is chosen', async () => {
    const at = set()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ database: { type: 'Embedded' } })
    await settled(at)
    const external = { secretRef: { name: 'db', key: 'url' } }
    await at.patch('LegalSuite', 'demo', { spec: { database: { type: 'External', external } } })
    await until(() => expect(names(at, 'StatefulSet')).toEqual([]))
    expect(names(at, 'PersistentVolumeClaim')).toContain('demo-postgres')
    expect(names(at, 'Secret')).toContain('demo-postgres')
  })
})

describe('APIs of others', () => {
  const database = { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } }

  test('CloudNativePG: it waits for the cluster to be ready', async () => {
    const at = set({ served: { 'postgresql.cnpg.io': ['clusters'] } })
    await at.suite({ database: database as never })
    await until(() => expect(names(at, 'Cluster')).toEqual(['demo-pg']))
    await until(() => expect(at.ready()).toMatchObject({ reason: 'DatabaseNotReady' }))
    await at.secret('demo-pg-app', { uri: 'postgres://x' })
    await at.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await settled(at)
  })

  test('CloudNativePG: without its operator the suite stalls and says so', async () => {
    const at = set()
    await at.suite({ database: database as never })
    await until(() => expect(at.ready()).toMatchObject({ reason: 'ApiNotFound' }))
  })
})
