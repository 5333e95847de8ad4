import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { type ControllerOptions, makeController } from './controller.ts'
import type { KubeObject } from './objects.ts'
import { configMap, configMaps, makeInformerFixture } from './testing/informer-fixture.ts'
import { sleep } from './time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settle = (milliseconds = 1_000) => vi.advanceTimersByTimeAsync(milliseconds)

/** Starts a controller for ConfigMaps with a running informer. */
function setUp(
  options: Partial<ControllerOptions> & Pick<ControllerOptions, 'reconcile'>,
  log = silent,
) {
  const stage = makeInformerFixture()
  void stage.start()
  const { client, metrics, informer } = stage
  const controller = makeController(
    { name: 'test', watches: [{ informer }], ...options },
    { client, log, metrics },
  )
  const stop = new AbortController()
  const lost = new AbortController()
  const lead = () =>
    controller.run({ stop: stop.signal, lost: lost.signal, remaining: () => 5_000 })
  return {
    ...stage,
    controller,
    lead,
    end: () => stop.abort(),
    lose: () => lost.abort(new Error('lost')),
  }
}

test('a controller reconciles all existing objects, then each change', async () => {
  const keys: string[] = []
  const { put, lead, end } = setUp({ reconcile: async (key) => void keys.push(key) })
  put(configMap('a'))
  put(configMap('b'))
  await settle()
  const term = lead()
  await settle()
  expect(keys).toEqual(['ns/a', 'ns/b'])
  put(configMap('b', { n: '1' }))
  await settle()
  expect(keys).toEqual(['ns/a', 'ns/b', 'ns/b'])
  end()
  await term
  put(configMap('c'))
  await settle()
  expect(keys).toHaveLength(3)
})

test('an object maps to its current and its previous keys', async () => {
  const keys: string[] = []
  const stage = makeInformerFixture()
  void stage.start()
  const ownerLabels = ({ metadata }: KubeObject) =>
    metadata.labels?.owner ? [metadata.labels.owner] : []
  const { client, metrics, informer, put } = stage
  const controller = makeController(
    {
      name: 'test',
      watches: [{ informer, mapToKeys: ownerLabels, predicate: ({ type }) => type !== 'deleted' }],
      reconcile: async (key) => void keys.push(key),
    },
    { client, log: silent, metrics },
  )
  const stop = new AbortController()
  const term = controller.run({
    stop: stop.signal,
    lost: new AbortController().signal,
    remaining: () => 1,
  })
  await settle()
  put(configMap('a', {}, { owner: 'one' }))
  put(configMap('b'))
  await settle()
  put(configMap('a', {}, { owner: 'two' }))
  await settle()
  stage.remove('a')
  await settle()
  expect(keys).toEqual(['one', 'one', 'two'])
  stop.abort()
  await term
})

test('failures back off exponentially, requeueAfter is honoured', async () => {
  const at: number[] = []
  const { put, lead, end, metrics } = setUp({
    reconcile: async () => {
      at.push(performance.now())
      if (at.length <= 3) throw new Error('not yet')
      return at.length <= 5 ? { requeueAfter: 5_000 } : undefined
    },
  })
  put(configMap('a'))
  await settle()
  const term = lead()
  await settle(60_000)
  const waits = at.slice(1).map((time, index) => Math.round(time - at[index]!))
  expect(waits).toEqual([5, 10, 20, 5_000, 5_000])
  const text = metrics.text()
  expect(text).toContain('controller_runtime_reconcile_total{controller="test",result="error"} 3')
  expect(text).toContain(
    'controller_runtime_reconcile_total{controller="test",result="requeue_after"} 2',
  )
  expect(text).toContain('controller_runtime_reconcile_errors_total{controller="test"} 3')
  end()
  await term
})

test('a synchronous exception counts as a failure', async () => {
  let runs = 0
  const reconcile = () => {
    runs++
    throw new Error('at once')
  }
  const { put, lead, end } = setUp({ reconcile })
  put(configMap('a'))
  await settle()
  const term = lead()
  await settle(100)
  expect(runs).toBeGreaterThan(2)
  end()
  await term
})

test('a reconcile beyond its deadline is aborted with its calls and fails', async () => {
  const errors: string[] = []
  const { put, lead, end, api } = setUp({
    deadlineMs: 2_000,
    reconcile: async (_, { client }) => {
      await client.get(configMaps, { namespace: 'ns', name: 'other' }).catch((error: Error) => {
        errors.push(error.message)
        throw error
      })
    },
  })
  put(configMap('a'))
  await settle()
  api.faults.push(({ verb }) => (verb === 'get' ? 'silence' : undefined))
  const term = lead()
  await settle(2_100)
  expect(errors).toEqual(['deadline of 2000 ms exceeded'])
  end()
  await settle(5_000)
  await term
})

test('a lost lease aborts running reconciles and blocks their writes', async () => {
  const outcomes: unknown[] = []
  const { put, lead, lose, end, api } = setUp({
    reconcile: async (_, { client, signal }) => {
      await sleep(60_000, signal)
      outcomes.push(
        await client.create(configMaps, configMap('late')).catch((error: Error) => error.message),
      )
    },
  })
  put(configMap('a'))
  await settle()
  const term = lead()
  await settle(100)
  lose()
  end()
  await settle(100)
  await term
  expect(outcomes).toEqual(['lost'])
  expect(api.writes()).toBe(0)
})

test('a stop lets running reconciles finish', async () => {
  const done: string[] = []
  const { put, lead, end } = setUp({
    reconcile: async (key) => void (await sleep(3_000).then(() => done.push(key))),
  })
  put(configMap('a'))
  put(configMap('b'))
  await settle()
  const term = lead()
  await settle(100)
  end()
  await settle(5_000)
  await term
  expect(done).toEqual(['ns/a'])
})

test('changes within coalesceMs are coalesced and do not delay immediate ones', async () => {
  const stage = makeInformerFixture()
  void stage.start()
  const began: string[] = []
  const { client, metrics, informer, put } = stage
  const reconcile = async (key: string) => void began.push(key)
  const watches = [{ informer, coalesceMs: 50 }]
  const controller = makeController(
    { name: 'test', watches, reconcile },
    { client, log: silent, metrics },
  )
  const stop = new AbortController()
  const { signal: lost } = new AbortController()
  const term = controller.run({ stop: stop.signal, lost, remaining: () => 5_000 })
  for (let n = 0; n < 5; n++) {
    put(configMap('a', { n: `${n}` }))
    await settle(5)
  }
  expect(began).toEqual([])
  await settle(50)
  expect(began).toEqual(['ns/a'])
  put(configMap('a', { n: 'last' }))
  await settle(5)
  controller.queue.add('ns/a')
  await settle(1)
  expect(began).toEqual(['ns/a', 'ns/a'])
  await settle(100)
  expect(began).toHaveLength(2)
  stop.abort()
  await term
})

test('log lines have the controller, the object and the reconcile id', async () => {
  const lines: Record<string, unknown>[] = []
  const keep = (fields: object) => void lines.push(fields as Record<string, unknown>)
  const log = { info: keep, warn: keep, error: keep }
  const { put, lead, end } = setUp(
    { reconcile: async (_, { log }) => void log.info({ seen: true }, 'looked') },
    log,
  )
  put(configMap('a'))
  await settle()
  const term = lead()
  await settle()
  expect(lines).toEqual([
    { controller: 'test', object: 'ns/a', reconcileId: expect.any(String), seen: true },
  ])
  end()
  await term
})
