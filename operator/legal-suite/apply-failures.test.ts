import { expect, test } from 'vitest'
import {
  eventually,
  names,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

test('a write that fails with 409 is retried and not reported as a foreign object', async () => {
  const at = startOperator()
  const reasons = new Set<string>()
  at.api.store.subscribe(({ after }: any) => {
    if (after?.kind !== 'LegalSuite') return
    for (const { type, reason } of after.status?.conditions ?? [])
      if (type === 'Ready') reasons.add(reason)
  })
  let left = 2
  // A ResourceQuota that changes during the admission of an object is a conflict.
  at.api.faults.push(({ verb, collection, name }) =>
    verb === 'patch' && collection === '/services' && name === 'demo-memory' && left-- > 0
      ? { status: 409 }
      : undefined,
  )
  await at.secret('db', { url: 'postgres://x' })
  await at.suite()
  await waitUntilReady(at)
  expect([...reasons]).not.toContain('ForeignObject')
})

test.each([
  ['drift cannot be removed', 'deployments', { spec: { template: { spec: { hostPID: true } } } }],
  ['an autoscaled Deployment cannot be scaled up', 'deployments', { spec: { replicas: 0 } }],
])('the status says why %s', async (_, plural, change) => {
  const at = await startReadySuite({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
  await at.patch('Deployment', 'demo-matter', change)
  at.api.faults.push(({ verb, collection, query }) => {
    const isOwn = query.get('fieldManager') !== 'legal-suite-operator'
    return verb === 'patch' && collection === `apps/${plural}` && isOwn
      ? { status: 403 }
      : undefined
  })
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await eventually(() => expect(at.ready()).toMatchObject({ status: 'False', reason: 'Forbidden' }))
  const { inventory } = at.get('LegalSuite', 'demo').status
  expect(inventory.map(({ kind }: any) => kind)).toContain('HorizontalPodAutoscaler')
})

test('a generated Secret that is deleted during a reconcile is not created without its entries', async () => {
  const at = startOperator()
  await at.suite({ database: { type: 'Embedded' } })
  await waitUntilReady(at)
  const secret = { collection: '/secrets', namespace: 'legal', name: 'demo-postgres' }
  at.api.faults.push(({ verb, collection }) => {
    if (verb === 'patch' && collection === '/serviceaccounts') at.api.store.remove(secret)
    return undefined
  })
  await at.remove('ServiceAccount', 'demo-memory')
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'PasswordLost' }))
  expect(names(at, 'Secret')).not.toContain('demo-postgres')
})

test('an object of the inventory with a version that is no longer known does not stop the suite', async () => {
  const at = await startReadySuite()
  const { inventory } = at.get('LegalSuite', 'demo').status
  const old = [
    { group: 'policy', version: 'v1beta1', kind: 'PodDisruptionBudget', name: 'demo-old' },
    { group: 'example.com', version: 'v1', kind: 'Unknown', name: 'demo-unknown' },
  ]
  await at.patch('LegalSuite', 'demo', { status: { inventory: [...inventory, ...old] } }, 'status')
  await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
  await waitUntilReady(at)
  await settleDelay()
  expect(at.ready()?.status).toBe('True')
})

test('a backend without pods does not hold back its removal', async () => {
  const at = startOperator()
  await at.secret('db', { url: 'postgres://x' })
  await at.suite({ search: { type: 'Managed' } })
  const withoutPods = /migrate|platform|files|memory|knowledge|matter|ai-engine|consult|collector/
  await eventually(async () => {
    await at.settle(withoutPods)
    expect(at.ready()?.status).toBe('True')
  })
  const status = { observedGeneration: 1, replicas: 0, updatedReplicas: 0, readyReplicas: 0 }
  await at.patch('StatefulSet', 'demo-qdrant', { status }, 'status')
  await at.patch('LegalSuite', 'demo', { spec: { search: { type: 'Database' } } })
  await eventually(async () => {
    await at.settle(withoutPods)
    expect(at.get('StatefulSet', 'demo-qdrant').spec.replicas).toBe(0)
  })
})
