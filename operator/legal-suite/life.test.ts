import { describe, expect, test } from 'vitest'
import {
  condition,
  eventually,
  names,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

describe('paused', () => {
  test('a paused suite writes only its status and corrects drift when it is resumed', async () => {
    const at = await startReadySuite()
    await at.patch('LegalSuite', 'demo', { spec: { paused: true, version: '3' } })
    await eventually(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Paused'))
    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 7 } })
    await settleDelay()
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(7)
    const suite = at.get('LegalSuite', 'demo')
    expect(condition(suite, 'Paused')?.status).toBe('True')
    expect(suite.status.observedGeneration).toBe(1)
    await eventually(() => {
      const message = condition(at.get('LegalSuite', 'demo'), 'Paused')?.message
      expect(message).toContain('update Deployment demo-memory')
      expect(message).toContain('create Job demo-migrate-')
      expect(message).toContain('remove or retain Job demo-migrate-')
    })
    await at.patch('LegalSuite', 'demo', { spec: { paused: false } })
    await waitUntilReady(at)
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(1)
    expect(condition(at.get('LegalSuite', 'demo'), 'Paused')).toBeUndefined()
  })
})

test('a paused suite without a change has no pending changes', async () => {
  const at = await startReadySuite()
  await at.patch('LegalSuite', 'demo', { spec: { paused: true } })
  await eventually(() =>
    expect(condition(at.get('LegalSuite', 'demo'), 'Paused')?.message).toMatch(/; pending: none$/),
  )
})

describe('hibernated', () => {
  test('hibernation scales to zero and resumes in wave order', async () => {
    const at = await startReadySuite({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: true } })
    await eventually(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Hibernated'))
    for (const { spec } of at.list('Deployment')) expect(spec.replicas).toBe(0)
    expect(names(at, 'HorizontalPodAutoscaler')).toEqual([])
    await at.settle()
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: false } })
    await eventually(() => expect(names(at, 'Job')).toHaveLength(1))
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(0)
    await waitUntilReady(at)
    expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(1)
    expect(at.get('Deployment', 'demo-matter').spec.replicas).toBe(2)
  })
})

describe('a configured key Secret', () => {
  test('a rollout waits for a missing key Secret and reports the key id', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ internalKey: { secretName: 'ours' } })
    await eventually(async () => {
      await at.settle()
      expect(at.ready()).toMatchObject({ reason: 'SecretNotFound' })
      expect(at.ready()!.message).toContain('ours/current')
    })
    expect(names(at, 'Deployment')).toEqual([])
    await at.secret('ours', { current: 'a-key-of-our-own' })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await waitUntilReady(at)
    expect(at.get('LegalSuite', 'demo').status.internalKey).toMatchObject({ secretName: 'ours' })
    expect(names(at, 'Secret')).not.toContain('demo-internal-key')
  })
})

describe('foreign objects', () => {
  const foreign = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'demo-memory', namespace: 'legal' },
    spec: { ports: [{ port: 1 }] },
  }

  test('a foreign object stalls the suite until it is adopted or deleted', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.create(foreign)
    await at.suite()
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
    expect(at.ready()!.message).toContain('Service demo-memory')
    expect(at.get('Service', 'demo-memory').spec.ports[0].port).toBe(1)
    await at.patch('Service', 'demo-memory', {
      metadata: { annotations: { 'legalsuite.dev/adopt': 'true' } },
    })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await waitUntilReady(at)
    expect(at.get('Service', 'demo-memory').metadata.labels['legalsuite.dev/suite']).toBe('demo')
  })

  test('a foreign Secret with the name of a generated one stalls the suite', async () => {
    const at = startOperator()
    await at.secret('demo-internal-key', { current: 'somebody-elses' })
    await at.suite()
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
    expect(names(at, 'Service')).toEqual([])
  })
})

describe('data', () => {
  test('data has no owner reference unless the deletion policy is Delete', async () => {
    const at = startOperator()
    await at.suite({ database: { type: 'Embedded' } })
    await waitUntilReady(at)
    const owners = (kind: string, name: string) => at.get(kind, name).metadata.ownerReferences ?? []
    expect(owners('PersistentVolumeClaim', 'demo-postgres')).toEqual([])
    expect(owners('Secret', 'demo-postgres')).toEqual([])
    expect(owners('Secret', 'demo-internal-key')).toHaveLength(1)
    await at.patch('LegalSuite', 'demo', { spec: { deletionPolicy: 'Delete' } })
    await eventually(() => expect(owners('PersistentVolumeClaim', 'demo-postgres')).toHaveLength(1))
    await eventually(() => expect(owners('Secret', 'demo-postgres')).toHaveLength(1))
  })

  test('data is retained when the database type changes', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ database: { type: 'Embedded' } })
    await waitUntilReady(at)
    const external = { secretRef: { name: 'db', key: 'url' } }
    await at.patch('LegalSuite', 'demo', { spec: { database: { type: 'External', external } } })
    await waitUntilReady(at)
    await eventually(() => expect(names(at, 'StatefulSet')).toEqual([]))
    expect(names(at, 'PersistentVolumeClaim')).toContain('demo-postgres')
    expect(names(at, 'Secret')).toContain('demo-postgres')
  })
})

describe('optional APIs', () => {
  const database = { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } }

  test('a rollout waits for the CloudNativePG cluster', async () => {
    const at = startOperator({ served: { 'postgresql.cnpg.io': ['clusters'] } })
    await at.suite({ database: database as never })
    await eventually(() => expect(names(at, 'Cluster')).toEqual(['demo-pg']))
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'DatabaseNotReady' }))
    await at.secret('demo-pg-app', { uri: 'postgres://x' })
    await at.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await waitUntilReady(at)
  })

  test('without the CloudNativePG operator the suite stalls', async () => {
    const at = startOperator()
    await at.suite({ database: database as never })
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ApiNotFound' }))
  })
})
