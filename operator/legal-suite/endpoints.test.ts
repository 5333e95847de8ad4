import { expect, test } from 'vitest'
import { eventually, startReadySuite } from '../testing/fixtures.ts'
import { type EndpointSlice, endpointsChanged, makeEndpointLookup } from './endpoints.ts'

const setReady = (ready: boolean) => ({
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
})

test('a suite is Ready only while each of its Services has a ready endpoint', async () => {
  const at = await startReadySuite()
  await at.patch('EndpointSlice', 'demo-matter', setReady(false))
  await eventually(() =>
    expect(at.ready()).toMatchObject({
      status: 'False',
      reason: 'RollingOut',
      message: 'waiting for matter: Service demo-matter has no ready endpoint',
    }),
  )
  const { services, ready } = at.get('LegalSuite', 'demo').status
  expect(ready).toBe('7/8')
  expect(services.find(({ name }: { name: string }) => name === 'matter').ready).toBe(false)
  await at.patch('EndpointSlice', 'demo-matter', setReady(true))
  await eventually(() => expect(at.ready()?.status).toBe('True'))
})

test('services that depend on an unreachable service are not rolled out', async () => {
  const at = await startReadySuite()
  await at.patch('EndpointSlice', 'demo-platform', setReady(false))
  await eventually(() => expect(at.ready()?.message).toContain('waiting for platform'))
  await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
  await eventually(async () => {
    await at.settle(/migrate|platform/)
    const { image } = at.get('Deployment', 'demo-platform').spec.template.spec.containers[0]
    expect(image).toBe('legal-suite:2.0.0')
    expect(at.ready()?.message).toContain('has no ready endpoint')
  })
  const { spec } = at.get('Deployment', 'demo-matter')
  expect(spec.template.spec.containers[0].image).toBe('legal-suite:1.2.3')
})

const slice = (ready: boolean | undefined, name = 'one'): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, labels: { 'kubernetes.io/service-name': 'demo-matter' } },
  endpoints: [{ conditions: ready === undefined ? {} : { ready } }],
})

test.each([
  ['no slice', false, []],
  ['an unready endpoint', false, [slice(false)]],
  ['an endpoint without a condition', true, [slice(undefined)]],
  ['one ready slice of two', true, [slice(false), slice(true, 'two')]],
])('a Service with %s is reachable: %s', (_, expected, slices) => {
  expect(makeEndpointLookup(slices)('demo-matter')).toBe(expected)
})

test('only a change of readiness triggers a reconcile', () => {
  const update = (before: boolean, after: boolean) =>
    endpointsChanged({ type: 'updated', before: slice(before), object: slice(after) })
  expect([update(true, true), update(true, false), update(false, true)]).toEqual([
    false,
    true,
    true,
  ])
})
