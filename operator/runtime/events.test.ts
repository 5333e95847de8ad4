import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeClient } from './client.ts'
import { type EventRecord, makeRecorder } from './events.ts'
import { makeFakeApi } from './testing/fake-api.ts'
import { configMap } from './testing/informer-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const api = makeFakeApi()
  const client = makeClient({ transport: api.transport, maxAttempts: 1 })
  const recorder = makeRecorder({ client, log: silent, instance: 'pod-1' })
  const regarding = configMap('a')
  regarding.metadata.uid = 'uid-a'
  const record = async (note: string, more: Partial<EventRecord> = {}, object = regarding) => {
    recorder.record(object, { type: 'Warning', reason: 'Failed', action: 'Apply', note, ...more })
    await recorder.flush()
  }
  const events = () =>
    api.store.list('events.k8s.io/events').map((event) => event as unknown as Written)
  return { api, recorder, record, events }
}

type Written = {
  note: string
  series?: { count: number }
  regarding: object
  metadata: { name: string; namespace: string }
}

test('an Event has reason, regarding object and reporter', async () => {
  const { record, events } = setUp()
  await record('no such secret')
  expect(events()).toMatchObject([
    {
      type: 'Warning',
      reason: 'Failed',
      action: 'Apply',
      note: 'no such secret',
      reportingController: 'legal-suite-operator',
      reportingInstance: 'pod-1',
      regarding: { kind: 'ConfigMap', name: 'a', namespace: 'ns', uid: 'uid-a' },
      eventTime: expect.stringMatching(/\.\d{6}Z$/),
    },
  ])
})

test('repeats increment the count until the series expires', async () => {
  const { record, events, api } = setUp()
  for (let n = 0; n < 5; n++) await record('again')
  expect(events().map(({ series }) => series?.count)).toEqual([5])
  await vi.advanceTimersByTimeAsync(400_000)
  await record('again')
  expect(events()).toHaveLength(2)
  api.store.remove({
    collection: 'events.k8s.io/events',
    ...events().find(({ series }) => !series)!.metadata,
  })
  await record('again')
  expect(events()).toHaveLength(2)
})

test('many notes of one reason are combined into one Event', async () => {
  const { record, events } = setUp()
  for (let n = 0; n < 15; n++) await record(`try ${n}`)
  expect(events()).toHaveLength(11)
  expect(events().find(({ note }) => note === 'try 10')?.series?.count).toBe(5)
})

test('the rate limit of one object does not affect others', async () => {
  const { record, events, api } = setUp()
  for (let n = 0; n < 100; n++) await record('flood')
  expect(api.writes()).toBe(26)
  const other = configMap('b')
  other.metadata.uid = 'uid-b'
  await record('quiet', {}, other)
  expect(events()).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(300_000)
  await record('flood')
  expect(events().find(({ note }) => note === 'flood')?.series?.count).toBe(101)
})

test('a flood of Normal Events does not hold back a Warning', async () => {
  const { record, events } = setUp()
  for (let n = 0; n < 100; n++) await record(`step ${n}`, { type: 'Normal', reason: `Step${n}` })
  await record('image not found', { reason: 'ImagePullBackOff' })
  expect(events().map(({ note }) => note)).toContain('image not found')
})

test('a flood of one Warning does not hold back another reason', async () => {
  const { record, events } = setUp()
  for (let n = 0; n < 100; n++) await record(`try ${n}`)
  await record('disk full', { reason: 'MigrationFailed' })
  expect(events().map(({ note }) => note)).toContain('disk full')
})

test('repeats of one Event do not hold back the next one', async () => {
  const { record, events } = setUp()
  for (let n = 0; n < 100; n++) await record('again')
  await record('another note')
  expect(events().map(({ note }) => note)).toContain('another note')
})

test('a write that failed with a server error is retried', async () => {
  const { recorder, events, api } = setUp()
  let left = 2
  api.faults.push(() => (left-- > 0 ? { status: 503 } : undefined))
  recorder.record(configMap('a'), { type: 'Warning', reason: 'R', action: 'A', note: 'kept' })
  await vi.advanceTimersByTimeAsync(10_000)
  await recorder.flush()
  expect(events().map(({ note }) => note)).toEqual(['kept'])
})

test('a long note is truncated at a character boundary', async () => {
  const { record, events } = setUp()
  await record('合'.repeat(1_000))
  expect(events()[0]!.note).toBe('合'.repeat(341))
})

test('a failed write is logged and the next Event is created', async () => {
  const { record, events, api } = setUp()
  let left = 1
  api.faults.push(() => (left-- > 0 ? { status: 403 } : undefined))
  await record('lost')
  expect(events()).toHaveLength(0)
  await record('lost')
  expect(events()).toHaveLength(1)
})
