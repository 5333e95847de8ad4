import { get } from 'node:http'
import { expect, test, vi } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { makeClient } from './client.ts'
import { makeManager } from './manager.ts'
import { type FakeApi, makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'
import { sleep } from './time.ts'

/** An operator that copies the labels of ConfigMaps into their data. */
function operator(
  api: FakeApi,
  identity: string,
  options: { port?: number; drainMs?: number; work?: number } = {},
) {
  const metrics = makeMetrics()
  const client = makeClient({ transport: api.transport, metrics })
  const lease = {
    namespace: 'ns',
    name: 'operator',
    identity,
    durationMs: 2_000,
    renewDeadlineMs: 1_000,
    retryMs: 200,
    standbyPollMs: 50,
  }
  const manager = makeManager({
    client,
    log: silent,
    metrics,
    namespaces: ['ns'],
    lease,
    ...options,
  })
  const maps = manager.informer(configMaps)
  const done: string[] = []
  const begun: string[] = []
  manager.controller({
    name: 'copies',
    watches: [{ informer: maps }],
    reconcile: async (key, { signal }) => {
      begun.push(key)
      await sleep(options.work ?? 0, signal)
      signal.throwIfAborted()
      manager.recorder.record(maps.get(key)!, {
        type: 'Normal',
        reason: 'Seen',
        action: 'Look',
        note: key,
      })
      done.push(key)
    },
  })
  const stop = new AbortController()
  return { done, begun, maps, run: manager.run(stop.signal), stop: () => stop.abort() }
}

const page = (port: number, path: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = get({ port, path }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, text })
    })
    request.on('error', reject)
  })

const put = (api: FakeApi, name: string) =>
  api.store.put({ collection: '/configmaps', namespace: 'ns', name }, configMap(name))

test('of two managers one reconciles; the synced standby continues when it stops', async () => {
  const api = makeFakeApi()
  put(api, 'a')
  const one = operator(api, 'one')
  await vi.waitFor(() => expect(one.done).toEqual(['ns/a']))
  const two = operator(api, 'two')
  put(api, 'b')
  await vi.waitFor(() => expect(one.done).toEqual(['ns/a', 'ns/b']))
  await vi.waitFor(() => expect(two.maps.list()).toHaveLength(2))
  expect(two.done).toEqual([])
  one.stop()
  await one.run
  await vi.waitFor(() => expect(two.done).toEqual(['ns/a', 'ns/b']))
  const events = api.store.list('events.k8s.io/events')
  expect(events.length).toBeGreaterThanOrEqual(2)
  two.stop()
  await two.run
})

test('readyz requires synced informers and metrics are served', async () => {
  const api = makeFakeApi()
  put(api, 'a')
  api.faults.push(({ verb }) => (verb === 'list' ? { status: 500 } : undefined))
  const port = await freePort()
  const one = operator(api, 'one', { port })
  await vi.waitFor(async () => expect((await page(port, '/healthz')).status).toBe(200))
  expect(await page(port, '/readyz')).toEqual({
    status: 503,
    text: 'configmaps cache is stale\n',
  })
  api.faults.length = 0
  await vi.waitFor(() => expect(one.done).toEqual(['ns/a']), 10_000)
  expect((await page(port, '/readyz')).status).toBe(200)
  const { text } = await page(port, '/metrics')
  for (const name of [
    'workqueue_depth',
    'informer_objects',
    'informer_silence_seconds',
    'leader_election_master_status',
    'process_resident_memory_bytes',
  ]) {
    expect(text).toContain(name)
  }
  expect((await page(port, '/other')).status).toBe(404)
  one.stop()
  await one.run
  await expect(page(port, '/healthz')).rejects.toThrow()
})

test('a slow reconcile is aborted on stop and the lease is released', async () => {
  const api = makeFakeApi()
  put(api, 'a')
  const one = operator(api, 'one', { drainMs: 100, work: 60_000 })
  await vi.waitFor(() => expect(one.begun).toEqual(['ns/a']))
  one.stop()
  await one.run
  expect(one.done).toEqual([])
  const lease = api.store.get({
    collection: 'coordination.k8s.io/leases',
    namespace: 'ns',
    name: 'operator',
  })
  expect(lease?.spec).not.toHaveProperty('holderIdentity')
})
