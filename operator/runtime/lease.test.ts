import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { FencedError } from './api-error.ts'
import { makeClient } from './client.ts'
import { fencedClient, type Remaining } from './fence.ts'
import { makeElection } from './lease.ts'
import { getResource } from './resources.ts'
import { type FakeApi, makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'
import type { Transport } from './transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const leases = getResource('coordination.k8s.io/v1', 'Lease')
const place = { collection: 'coordination.k8s.io/leases', namespace: 'ns', name: 'operator' }
const leaseSpec = (api: FakeApi) => api.store.get(place)?.spec as Record<string, unknown>

type Line = 'well' | 'cut' | 'silent' | 'late'

/** A candidate on a connection that can fail. */
function candidate(api: FakeApi, identity: string) {
  const line = { is: 'well' as Line }
  const transport: Transport = async (request) => {
    if (line.is === 'cut') throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
    // The server handles the request, but the response is lost.
    const response = line.is === 'silent' ? undefined : await api.transport(request)
    if (line.is === 'well') return response!
    return new Promise((_, reject) =>
      request.signal.addEventListener('abort', () => reject(request.signal.reason)),
    )
  }
  const client = makeClient({ transport })
  const stop = new AbortController()
  const terms: { startedAt: number; lost?: number }[] = []
  let leading = false
  let left: Remaining = () => 0
  const run = makeElection(
    { namespace: 'ns', name: 'operator', identity },
    { client, log: silent, metrics: makeMetrics() },
  ).run(stop.signal, async ({ lost, remaining }) => {
    const term: (typeof terms)[number] = { startedAt: performance.now() }
    terms.push(term)
    leading = true
    left = remaining
    await new Promise<void>((resolve) => {
      lost.addEventListener('abort', () => {
        term.lost = performance.now()
        resolve()
      })
      stop.signal.addEventListener('abort', () => resolve())
    })
    leading = false
  })
  return {
    line,
    client,
    terms,
    run,
    stop: () => stop.abort(),
    leads: () => leading && left() > 0,
    remaining: () => left(),
  }
}

const until = async (condition: () => boolean, timeoutMs: number) => {
  const startedAt = performance.now()
  while (!condition()) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`not within ${timeoutMs} ms`)
    await vi.advanceTimersByTimeAsync(50)
  }
  return performance.now() - startedAt
}

test('the standby takes over at once when the lease is released', async () => {
  const api = makeFakeApi()
  const one = candidate(api, 'one')
  await until(one.leads, 100)
  const two = candidate(api, 'two')
  await vi.advanceTimersByTimeAsync(60_000)
  expect([one.leads(), two.leads()]).toEqual([true, false])
  expect(one.terms).toHaveLength(1)
  expect(leaseSpec(api)).toMatchObject({
    holderIdentity: 'one',
    leaseTransitions: 0,
    leaseDurationSeconds: 15,
  })
  expect(leaseSpec(api).renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  one.stop()
  expect(await until(two.leads, 20_000)).toBeLessThan(1_500)
  await one.run
  expect(leaseSpec(api)).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
  two.stop()
  await vi.advanceTimersByTimeAsync(100)
  await two.run
  expect(leaseSpec(api)).not.toHaveProperty('holderIdentity')
})

test('a crashed leader is replaced after the lease has expired', async () => {
  const api = makeFakeApi()
  const one = candidate(api, 'one')
  const two = candidate(api, 'two')
  await until(one.leads, 3_000)
  await vi.advanceTimersByTimeAsync(5_000)
  one.line.is = 'cut'
  const takeoverMs = await until(two.leads, 30_000)
  expect(takeoverMs).toBeGreaterThan(11_000)
  expect(takeoverMs).toBeLessThan(17_000)
})

test.each<Line>(['cut', 'silent', 'late'])(
  'a disconnected leader (%s) stops before another can lead',
  async (line) => {
    const api = makeFakeApi()
    const one = candidate(api, 'one')
    await until(one.leads, 3_000)
    await vi.advanceTimersByTimeAsync(5_000)
    one.line.is = line
    const at = performance.now()
    await until(() => one.terms[0]!.lost !== undefined, 12_000)
    // The renew deadline is 10 s. Fake timers round each of the jittered waits up to a millisecond.
    expect(one.terms[0]!.lost! - at).toBeLessThanOrEqual(10_100)
    one.line.is = 'well'
    await until(one.leads, 20_000)
    expect(one.terms).toHaveLength(2)
  },
)

test('expiry depends on observed time, not on the clock of the holder', async () => {
  for (const renewTime of ['2001-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z']) {
    const api = makeFakeApi()
    const spec = {
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      renewTime,
      acquireTime: renewTime,
      leaseTransitions: 4,
    }
    api.store.put(place, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'operator', namespace: 'ns' },
      spec,
    })
    const one = candidate(api, 'one')
    await vi.advanceTimersByTimeAsync(14_500)
    expect(one.leads()).toBe(false)
    await until(one.leads, 3_000)
    expect(leaseSpec(api)).toMatchObject({ holderIdentity: 'one', leaseTransitions: 5 })
    one.stop()
  }
})

test('a leader stops as soon as it observes another holder', async () => {
  const api = makeFakeApi()
  const one = candidate(api, 'one')
  await until(one.leads, 3_000)
  const lease = api.store.get(place)!
  api.store.put(place, { ...lease, spec: { ...(lease.spec as object), holderIdentity: 'thief' } })
  expect(await until(() => one.terms[0]!.lost !== undefined, 10_000)).toBeLessThan(4_000)
})

test('no write is sent or awaited once the lease may be lost', async () => {
  const api = makeFakeApi()
  const client = makeClient({ transport: api.transport })
  let left = 0
  const fenced = fencedClient(client, new AbortController().signal, () => left)
  const object = configMap('a')
  const attempts = [
    () => fenced.create(configMaps, object),
    () => fenced.replace(configMaps, object),
    () => fenced.apply(configMaps, object, { fieldManager: 'us' }),
    () => fenced.merge(configMaps, object.metadata, {}),
    () => fenced.delete(configMaps, object.metadata),
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toThrow(FencedError)
  expect(api.requests).toEqual([])
  expect(await fenced.get(leases, place)).toBeUndefined()
  left = 700
  api.faults.push(() => 'silence')
  for (const attempt of attempts) {
    const failed = expect(attempt()).rejects.toThrow('700 ms')
    await vi.advanceTimersByTimeAsync(700)
    await failed
  }
})

test('with any connection faults at most one process leads', async () => {
  const Step = fc.record({
    who: fc.nat(2),
    line: fc.constantFrom<Line>('well', 'well', 'cut', 'silent', 'late'),
    wait: fc.integer({ min: 0, max: 20_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const api = makeFakeApi()
      const all = ['one', 'two', 'three'].map((identity) => candidate(api, identity))
      const pass = async (milliseconds: number) => {
        for (let passed = 0; passed < milliseconds; passed += 250) {
          await vi.advanceTimersByTimeAsync(250)
          expect(all.filter(({ leads }) => leads()).length).toBeLessThanOrEqual(1)
        }
      }
      for (const { who, line, wait } of steps) {
        all[who]!.line.is = line
        await pass(wait)
      }
      for (const one of all) one.line.is = 'well'
      await pass(40_000)
      expect(all.filter(({ leads }) => leads())).toHaveLength(1)
      for (const one of all) one.stop()
      await vi.advanceTimersByTimeAsync(20_000)
      await Promise.all(all.map(({ run }) => run))
    }),
    { numRuns: 40, seed: 1 },
  )
})
