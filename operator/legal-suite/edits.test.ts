import { expect, test } from 'vitest'
import {
  eventually,
  names,
  type Staged,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'
import { watchInvariants } from '../testing/invariants.ts'

const edit = (at: Staged, spec: object) => at.patch('LegalSuite', 'demo', { spec })
const oidc = { issuer: 'https://login.example.com', audience: 'legal', clientId: 'legal' }

test('an Ingress stays while the Gateway API of its successor is not installed', async () => {
  const gateway = { host: 'a.example.com', oidc, ingress: {} }
  const at = await startReadySuite({ gateway })
  expect(names(at, 'Ingress')).toEqual(['demo-gateway'])
  await edit(at, { gateway: { ingress: null, httpRoute: { parentRef: { name: 'edge' } } } })
  await eventually(async () => {
    await at.settle()
    expect(at.ready()).toMatchObject({ reason: 'ApiNotFound' })
    expect(at.get('Deployment', 'demo-gateway').metadata.generation).toBe(2)
  })
  await at.settle()
  await settleDelay()
  expect(names(at, 'Ingress')).toEqual(['demo-gateway'])
})

test('new network policies wait until no pod uses the external database any more', async () => {
  const at = await startReadySuite({ networkPolicy: { enabled: false } })
  expect(names(at, 'NetworkPolicy')).toEqual([])
  await edit(at, { networkPolicy: null, database: { type: 'Embedded', external: null } })
  await eventually(() => expect(names(at, 'StatefulSet')).toEqual(['demo-postgres']))
  await settleDelay()
  expect(names(at, 'NetworkPolicy')).toEqual([])
  await waitUntilReady(at)
  await eventually(() => expect(names(at, 'NetworkPolicy')).toContain('demo-allow-inside'))
})

test('enabled network policies never cut off pods from their external database', async () => {
  const at = await startReadySuite({ networkPolicy: { enabled: false } })
  const { violations, stop } = watchInvariants(at)
  // The pods are known to the invariants from their next status on.
  for (const { metadata } of at.list('Deployment')) {
    const conditions = [{ type: 'Available', status: 'True' }]
    await at.patch('Deployment', metadata.name, { status: { conditions } }, 'status')
  }
  await edit(at, { networkPolicy: null })
  await eventually(() => expect(names(at, 'NetworkPolicy')).toContain('demo-allow-inside'))
  await waitUntilReady(at)
  stop()
  expect(violations).toEqual([])
})

test('an edit during a reconcile is not reported as observed', async () => {
  const at = await startReadySuite()
  const suites = { collection: 'legalsuite.dev/legalsuites', namespace: 'legal', name: 'demo' }
  let reported: any
  at.api.faults.push(({ verb, collection, subresource }) => {
    const isStatus = collection === suites.collection && subresource === 'status'
    if (verb !== 'patch' || !isStatus || reported) return undefined
    // The next edit arrives before the inventory of the current one is stored.
    const live: any = at.api.store.get(suites)
    at.api.store.put(suites, { ...live, spec: { ...live.spec, version: '2.0.0' } })
    reported = []
    at.api.store.subscribe(({ after }: any) => {
      if (after?.kind === 'LegalSuite') reported.push(after)
    })
    return undefined
  })
  await edit(at, { services: { matter: { autoscaling: { maxReplicas: 3 } } } })
  await eventually(() => expect(names(at, 'Job')).toHaveLength(2))
  const wrong = reported.filter(
    ({ metadata, status }: any) =>
      status.observedGeneration === metadata.generation &&
      status.conditions.some(({ type, status }: any) => type === 'Ready' && status === 'True'),
  )
  expect(wrong).toEqual([])
})

test('a paused suite is not Ready while a service is down', async () => {
  const at = await startReadySuite()
  await edit(at, { paused: true })
  await eventually(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Paused'))
  await at.patch('Deployment', 'demo-matter', { status: { availableReplicas: 0 } }, 'status')
  await eventually(() =>
    expect(at.ready()).toMatchObject({ status: 'False', reason: 'ServicesNotReady' }),
  )
  expect(at.ready()!.message).toBe('not ready: matter')
  await at.settle()
  await eventually(() => expect(at.ready()).toMatchObject({ status: 'True', reason: 'Ready' }))
})

test('a missing Secret of an additional volume is named instead of a hanging migration', async () => {
  const at = startOperator()
  await at.secret('db', { url: 'postgres://x' })
  const volumes = [{ name: 'ca', mountPath: '/etc/ca', secretName: 'database-ca' }]
  await at.suite({ pods: { volumes } })
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'SecretNotFound' }))
  expect(at.ready()!.message).toContain('database-ca')
  expect(names(at, 'Job')).toEqual([])
  await at.secret('database-ca', { 'ca.crt': 'x' })
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await waitUntilReady(at)
})
