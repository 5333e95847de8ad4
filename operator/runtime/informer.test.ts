import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { timing } from './informer.ts'
import { type KubeObject, objectKey } from './objects.ts'
import { configMap, makeInformerFixture, recordChanges } from './testing/informer-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settle = (milliseconds = 1_000) => vi.advanceTimersByTimeAsync(milliseconds)
const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort()

test('an informer lists page by page, then watches', async () => {
  const { informer, put, remove, start, stop, api } = makeInformerFixture()
  for (let n = 0; n < 1_200; n++) put(configMap(`map-${n}`))
  expect(informer.synced).toBe(false)
  const run = start()
  await settle()
  expect(informer.synced).toBe(true)
  expect(informer.list()).toHaveLength(1_200)
  expect(api.requests.filter(({ verb }) => verb === 'list')).toHaveLength(3)
  put(configMap('new'))
  put(configMap('map-3', { a: '1' }))
  remove('map-4')
  await settle()
  expect(informer.get('ns/new')).toBeDefined()
  expect(informer.get('ns/map-3')).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    data: { a: '1' },
  })
  expect(informer.get('ns/map-4')).toBeUndefined()
  stop()
  await run
})

test('an idle watch is renewed without a list', async () => {
  const { informer, start, stop, api } = makeInformerFixture()
  const run = start()
  await settle(590_000 * 0.8)
  expect(api.requests.filter(({ verb }) => verb === 'list')).toHaveLength(1)
  const watches = api.requests.filter(({ verb }) => verb === 'watch')
  expect(watches.length).toBeGreaterThan(8)
  expect(watches.every(({ query }) => query.get('allowWatchBookmarks') === 'true')).toBe(true)
  expect(informer.idleMs()).toBeLessThan(timing.idleMs)
  stop()
  await run
})

test('a bookmark advances the resource version of the next watch', async () => {
  const { start, stop, api } = makeInformerFixture()
  const run = start()
  await settle()
  for (let n = 0; n < 50; n++) api.store.advance()
  api.eachStream((stream) => stream.bookmark())
  await settle()
  api.reset()
  await settle()
  const last = api.requests.filter(({ verb }) => verb === 'watch').at(-1)
  expect(last?.query.get('resourceVersion')).toBe(`${api.store.version}`)
  stop()
  await run
})

test('a silent connection is detected and replaced', async () => {
  const { informer, put, start, stop, api, metrics } = makeInformerFixture()
  const run = start()
  await settle()
  api.eachStream((stream) => stream.mute())
  put(configMap('unheard'))
  await settle(30_000)
  expect(informer.get('ns/unheard')).toBeUndefined()
  await settle(timing.idleMs)
  expect(informer.get('ns/unheard')).toBeDefined()
  expect(metrics.text()).toContain('reason="DeadlineError"')
  expect(api.requests.filter(({ verb }) => verb === 'list')).toHaveLength(1)
  stop()
  await run
})

test('a list without a response is retried', async () => {
  const { informer, put, start, stop, api } = makeInformerFixture()
  put(configMap('one'))
  let listCount = 0
  api.faults.push(({ verb }) => (verb === 'list' && listCount++ < 2 ? 'silence' : undefined))
  const run = start()
  await settle(200_000)
  expect(names(informer.list())).toEqual(['one'])
  stop()
  await run
})

test.each(['answer', 'event'])(
  'an expired resource version, reported by an %s, causes a list',
  async (how) => {
    const { informer, put, remove, start, stop, api } = makeInformerFixture()
    const recorded = recordChanges(informer)
    put(configMap('gone'))
    put(configMap('stays'))
    const run = start()
    await settle()
    const expired = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }
    api.eachStream((stream) => {
      if (how === 'event') stream.send(`${JSON.stringify(expired)}\n`)
      stream.mute()
    })
    remove('gone')
    put(configMap('new'))
    api.store.compact()
    await settle(how === 'event' ? 1_000 : timing.idleMs + 5_000)
    expect(names(informer.list())).toEqual(['new', 'stays'])
    expect([...recorded.objects.keys()].sort()).toEqual(['ns/new', 'ns/stays'])
    expect(recorded.types.filter((type) => type === 'deleted')).toHaveLength(1)
    stop()
    await run
  },
)

test('an unreadable line neither stops the watch nor loses events', async () => {
  const { informer, put, start, stop, api } = makeInformerFixture()
  const run = start()
  await settle()
  api.eachStream((stream) => stream.send('{"type":"ADDED","obj'))
  api.reset()
  await settle()
  api.eachStream((stream) => stream.send('<html>502</html>\n'))
  await settle()
  api.eachStream((stream) => stream.send('{"type":"WHATEVER","object":{}}\n'))
  await settle()
  api.eachStream((stream) => stream.send('{"type":"ADDED","object":null}\n'))
  put(configMap('after'))
  await settle(60_000)
  expect(names(informer.list())).toEqual(['after'])
  stop()
  await run
})

test('a character split over two chunks is decoded', async () => {
  const { informer, start, stop, api, place } = makeInformerFixture()
  const run = start()
  await settle()
  const object = {
    ...configMap('split', { text: '合同法 ✓' }),
    metadata: { name: 'split', namespace: 'ns', uid: 'u', resourceVersion: '900' },
  }
  const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`)
  for (const byte of line) {
    api.eachStream((stream) => stream.send(Uint8Array.of(byte)))
    await settle(1)
  }
  expect(informer.get(objectKey({ metadata: place('split') }))).toMatchObject({
    data: { text: '合同法 ✓' },
  })
  stop()
  await run
})

test('Retry-After is honoured', async () => {
  const { informer, put, start, stop, api } = makeInformerFixture()
  let refused = 0
  api.faults.push(({ verb }) =>
    verb === 'watch' && refused++ < 1 ? { status: 429, retryAfter: 40 } : undefined,
  )
  const run = start()
  await settle(30_000)
  put(configMap('one'))
  await settle(1_000)
  expect(informer.list()).toHaveLength(0)
  await settle(15_000)
  expect(informer.list()).toHaveLength(1)
  stop()
  await run
})

test('a relist finds missed events and counts them', async () => {
  const { informer, put, start, stop, api, metrics } = makeInformerFixture()
  put(configMap('a'))
  const run = start()
  await settle()
  const ahead = { metadata: { resourceVersion: `${api.store.version + 1}` } }
  api.eachStream((stream) => {
    stream.send(`${JSON.stringify({ type: 'BOOKMARK', object: ahead })}\n`)
    stream.mute()
  })
  put(configMap('a', { changed: 'yes' }))
  await settle(400_000)
  expect(informer.get('ns/a')).toMatchObject({ data: {} })
  await settle(800_000)
  expect(informer.get('ns/a')).toMatchObject({ data: { changed: 'yes' } })
  expect(metrics.text()).toMatch(/informer_missed_events_total\{.*\} 1/)
  stop()
  await run
})
