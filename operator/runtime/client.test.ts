import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { ApiError, isConflict } from './api-error.ts'
import { makeClient } from './client.ts'
import { getResource } from './resources.ts'
import type { CallRecord } from './rest-client.ts'
import { type Fault, makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 1 }))
afterEach(() => void vi.useRealTimers())

function setUp(served = {}) {
  const api = makeFakeApi(served)
  const metrics = makeMetrics()
  const calls: CallRecord[] = []
  const client = makeClient({
    transport: api.transport,
    metrics,
    onCall: (call) => calls.push(call),
  })
  /** Injects a fault into the next requests. */
  const befall = (fault: Fault, times: number) => {
    let left = times
    api.faults.push(() => (left-- > 0 ? fault : undefined))
  }
  const waitForResult = async <T>(promise: Promise<T>) => {
    const result = promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    await vi.advanceTimersByTimeAsync(120_000)
    return (await result) as { value?: T; error?: ApiError }
  }
  return { api, client, metrics, calls, befall, ended: waitForResult }
}

const ref = { namespace: 'ns', name: 'a' }

test('objects are created, read, updated and deleted', async () => {
  const { client } = setUp()
  expect(await client.get(configMaps, ref)).toBeUndefined()
  const created = await client.create(configMaps, configMap('a', { n: '1' }))
  expect(await client.get(configMaps, ref)).toEqual(created)
  await expect(client.create(configMaps, configMap('a'))).rejects.toSatisfy(isConflict)
  const next = await client.replace(configMaps, { ...created, data: { n: '2' } })
  await expect(client.replace(configMaps, { ...created, data: { n: '3' } })).rejects.toSatisfy(
    isConflict,
  )
  const merged = await client.merge(configMaps, ref, { data: { n: '4' } })
  expect([next.data, merged.data]).toEqual([{ n: '2' }, { n: '4' }])
  expect(await client.list(configMaps, { namespace: 'ns' })).toHaveLength(1)
  expect(await client.delete(configMaps, ref, { uid: 'another' })).toBe(false)
  expect(await client.delete(configMaps, ref, { uid: created.metadata.uid })).toBe(true)
  expect(await client.delete(configMaps, ref)).toBe(false)
})

test('apply takes foreign fields only with force and releases omitted fields', async () => {
  const { client } = setUp()
  await client.create(configMaps, configMap('a', { theirs: '1', both: '1' }))
  const ownMap = configMap('a', { both: '2', own: '1' })
  await expect(client.apply(configMaps, ownMap, { fieldManager: 'us' })).rejects.toSatisfy(
    isConflict,
  )
  const error = await client.apply(configMaps, ownMap, {
    fieldManager: 'us',
    force: true,
    dryRun: true,
  })
  expect(error.data).toEqual({ theirs: '1', both: '2', own: '1' })
  expect((await client.get(configMaps, ref))!.data).toEqual({ theirs: '1', both: '1' })
  await client.apply(configMaps, ownMap, { fieldManager: 'us', force: true })
  const less = await client.apply(configMaps, configMap('a', { both: '2' }), { fieldManager: 'us' })
  expect(less.data).toEqual({ theirs: '1', both: '2' })
})

test('reads and applies are retried on server errors, other writes are not', async () => {
  const { client, befall, ended, api } = setUp()
  befall({ status: 503 }, 2)
  expect(await ended(client.get(configMaps, ref))).toEqual({ value: undefined })
  befall('reset', 2)
  expect(
    await ended(client.apply(configMaps, configMap('a'), { fieldManager: 'us' })),
  ).toHaveProperty('value')
  const before = api.requests.length
  befall({ status: 500 }, 1)
  expect((await ended(client.create(configMaps, configMap('b')))).error?.code).toBe(500)
  befall('reset', 1)
  expect(await ended(client.merge(configMaps, ref, {}))).toHaveProperty('error')
  expect(api.requests.length).toBe(before + 2)
})

test('429 responses are retried after the requested delay', async () => {
  const { client, befall, ended, api } = setUp()
  befall({ status: 429, retryAfter: 3 }, 1)
  const began = performance.now()
  const created = client.create(configMaps, configMap('a')).then(() => performance.now() - began)
  expect((await ended(created)).value).toBeGreaterThanOrEqual(3_000)
  befall({ status: 429 }, 99)
  const before = api.requests.length
  expect((await ended(client.get(configMaps, ref))).error?.code).toBe(429)
  expect(api.requests.length - before).toBe(4)
})

test('a call without a response ends at its deadline or with its signal', async () => {
  const { client, befall, ended } = setUp()
  befall('silence', 1)
  const late = client.create(configMaps, configMap('a'), { deadlineMs: 500 })
  expect((await ended(late)).error?.message).toContain('500 ms')
  befall('silence', 1)
  const stop = new AbortController()
  const stopped = client.get(configMaps, ref, { signal: stop.signal })
  stop.abort(new Error('enough'))
  expect((await ended(stopped)).error?.message).toBe('enough')
})

test('every call is counted and reported in terms of RBAC', async () => {
  const { client, calls, metrics } = setUp()
  const suites = getResource('legalsuite.dev/v1alpha1', 'LegalSuite')
  const suite = {
    apiVersion: 'legalsuite.dev/v1alpha1',
    kind: 'LegalSuite',
    metadata: ref,
    status: {},
  }
  await client.apply(suites, suite, { fieldManager: 'us' })
  await client.apply(
    suites,
    { ...suite, status: { ok: true } },
    { fieldManager: 'us', subresource: 'status' },
  )
  await client.list(configMaps, { namespace: 'ns' })
  expect(calls.map(({ verb, group, resource }) => `${verb} ${group}/${resource}`)).toEqual([
    'patch legalsuite.dev/legalsuites',
    'create legalsuite.dev/legalsuites',
    'patch legalsuite.dev/legalsuites/status',
    'list /configmaps',
  ])
  expect(metrics.text()).toContain(
    'rest_client_requests_total{verb="list",resource="configmaps",code="200"} 1',
  )
})

test('serves returns whether a resource exists', async () => {
  const { client } = setUp({ 'monitoring.coreos.com': ['servicemonitors'] })
  expect(await client.serves(getResource('monitoring.coreos.com/v1', 'ServiceMonitor'))).toBe(true)
  expect(await client.serves(getResource('monitoring.coreos.com/v1', 'PrometheusRule'))).toBe(false)
  expect(await client.serves(getResource('postgresql.cnpg.io/v1', 'Cluster'))).toBe(false)
})

test('an expired page fails the list with 410', async () => {
  const { client, api } = setUp()
  for (let n = 0; n < 3; n++) await client.create(configMaps, configMap(`map-${n}`))
  const pages = client.pages(configMaps, { namespace: 'ns', deadline: 2 })[Symbol.asyncIterator]()
  expect((await pages.next()).value.items).toHaveLength(2)
  api.store.advance()
  api.store.compact()
  await expect(pages.next()).rejects.toMatchObject({ code: 410 })
})

test('error messages contain no Secret content', async () => {
  const quoting = { kind: 'Status', reason: 'Invalid', message: 'Invalid value: "hunter2"' }
  const client = makeClient({
    transport: async () => ({
      status: 422,
      headers: {},
      body: [Buffer.from(JSON.stringify(quoting))] as never,
    }),
  })
  const createError = (kind: string) =>
    client.create(getResource('v1', kind), { ...configMap('a'), kind }).catch((error) => error)
  expect((await createError('Secret')).message).toBe('create secrets ns: Invalid')
  expect((await createError('ConfigMap')).message).toContain('hunter2')
  expect(await createError('Secret')).toBeInstanceOf(ApiError)
})
