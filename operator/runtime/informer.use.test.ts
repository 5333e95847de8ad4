import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeInformers } from './informers.ts'
import type { KubeObject } from './objects.ts'
import {
  configMap,
  configMaps,
  makeInformerFixture,
  recordChanges,
} from './testing/informer-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settle = (milliseconds = 1_000) => vi.advanceTimersByTimeAsync(milliseconds)
const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort()

test('a failing handler affects neither other handlers nor the informer', async () => {
  const errors: object[] = []
  const log = { info() {}, warn() {}, error: (fields: object) => void errors.push(fields) }
  const { informer, put, start, stop } = makeInformerFixture({ log })
  informer.subscribe(() => {
    throw new Error('broken')
  })
  const recorded = recordChanges(informer)
  const run = start()
  await settle()
  put(configMap('a'))
  put(configMap('b'))
  await settle()
  expect([...recorded.objects.keys()]).toEqual(['ns/a', 'ns/b'])
  expect(errors).toHaveLength(2)
  stop()
  await run
})

test('a late subscriber gets all existing objects', async () => {
  const { informer, put, start, stop } = makeInformerFixture()
  put(configMap('a'))
  const run = start()
  await settle()
  const recorded = recordChanges(informer)
  expect([...recorded.objects.keys()]).toEqual(['ns/a'])
  stop()
  await run
})

test('an index reflects the current objects', async () => {
  const owner = ({ metadata }: KubeObject) =>
    metadata.labels?.owner ? [metadata.labels.owner] : []
  const { informer, put, remove, start, stop } = makeInformerFixture({ indexes: { owner } })
  put(configMap('a', {}, { owner: 'x' }))
  put(configMap('b', {}, { owner: 'x' }))
  put(configMap('c'))
  const run = start()
  await settle()
  expect(names(informer.by('owner', 'x'))).toEqual(['a', 'b'])
  put(configMap('a', {}, { owner: 'y' }))
  remove('b')
  await settle()
  expect(informer.by('owner', 'x')).toEqual([])
  expect(names(informer.by('owner', 'y'))).toEqual(['a'])
  expect(() => informer.by('other', 'x')).toThrow('unknown index')
  stop()
  await run
})

test('with metadataOnly no content reaches the cache, not even from own writes', async () => {
  const { informer, client, put, start, stop } = makeInformerFixture({ metadataOnly: true })
  put(configMap('a', { secret: 'one' }))
  const run = start()
  await settle()
  const object = configMap('b', { secret: 'two' })
  informer.observe(await client.create(informer.resource, object))
  put(configMap('c', { secret: 'three' }))
  await settle()
  expect(names(informer.list())).toEqual(['a', 'b', 'c'])
  expect(informer.list().every(({ kind }) => kind === 'ConfigMap')).toBe(true)
  expect(JSON.stringify(informer.list())).not.toContain('"secret"')
  stop()
  await run
})

test('an own write is visible at once and does not resurrect a deleted object', async () => {
  const { informer, client, remove, start, stop } = makeInformerFixture()
  const run = start()
  await settle()
  const created = await client.create(informer.resource, configMap('a'))
  informer.observe(created)
  expect(informer.get('ns/a')).toMatchObject(created)
  remove('a')
  await settle()
  informer.observe(created)
  expect(informer.get('ns/a')).toBeUndefined()
  stop()
  await run
})

test('after an etcd restore newer objects are dropped', async () => {
  const { informer, put, start, stop, api } = makeInformerFixture()
  for (let n = 0; n < 50; n++) put(configMap('a', { n: `${n}` }))
  const run = start()
  await settle()
  const restored = configMap('b')
  Object.assign(restored.metadata, { uid: 'old', resourceVersion: '7' })
  api.faults.push(({ verb }) => (verb === 'watch' ? { status: 504 } : undefined))
  vi.spyOn(api.store, 'list').mockReturnValue([restored])
  vi.spyOn(api.store, 'version', 'get').mockReturnValue(8)
  api.reset()
  await settle(60_000)
  expect(names(informer.list())).toEqual(['b'])
  stop()
  await run
})

test('several namespaces are combined into one informer', async () => {
  const { client, metrics, api } = makeInformerFixture()
  const informers = makeInformers({ client, log: silent, metrics, namespaces: ['one', 'two'] })
  const informer = informers.informerFor(configMaps)
  expect(informers.informerFor(configMaps)).toBe(informer)
  const recorded = recordChanges(informer)
  const stop = new AbortController()
  const run = informers.run(stop.signal)
  for (const namespace of ['one', 'two', 'three']) {
    const metadata = { name: 'a', namespace }
    api.store.put({ collection: '/configmaps', ...metadata }, { ...configMap('a'), metadata })
  }
  expect(informers.staleInformers(1_000)).toEqual(['configmaps', 'configmaps'])
  await settle()
  expect([...recorded.objects.keys()]).toEqual(['one/a', 'two/a'])
  expect(informer.get('two/a')).toBeDefined()
  expect(informer.list()).toHaveLength(2)
  expect(informers.staleInformers(60_000)).toEqual([])
  api.faults.push(() => 'reset')
  api.reset()
  await settle(100_000)
  expect(informers.staleInformers(60_000)).toHaveLength(2)
  stop.abort()
  await run
})
