import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Fault } from './testing/fake-api.ts'
import {
  configMap,
  configMaps,
  makeInformerFixture,
  recordChanges,
} from './testing/informer-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const label = fc.constantFrom('yes', 'no')

/** Foreign writes, own writes, connection faults and elapsed time. */
const Step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('put' as const), name, label, value: fc.nat(5) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('write' as const), name, value: fc.nat(5) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 50, 2_000, 70_000, 700_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'reset' as const,
        'silence' as const,
        'garbage' as const,
        'half' as const,
        'compact' as const,
        'bookmark' as const,
        'close' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom<Fault>(
        'reset',
        'silence',
        'reset after',
        { status: 500 },
        { status: 429, retryAfter: 1 },
        { status: 410 },
        { status: 403 },
      ),
      verb: fc.constantFrom('list', 'watch'),
    }),
  },
)

type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never
type Stage = ReturnType<typeof makeInformerFixture>

async function take(step: Step, { api, client, informer, put, remove, place }: Stage) {
  const everyStream = (bytes: string) => api.eachStream((stream) => stream.send(bytes))
  if (step.do === 'put') put(configMap(step.name, { value: `${step.value}` }, { ours: step.label }))
  if (step.do === 'remove') remove(step.name)
  if (step.do === 'wait') await vi.advanceTimersByTimeAsync(step.ms)
  if (step.do === 'reset') api.reset()
  if (step.do === 'close') api.eachStream((stream) => stream.end())
  if (step.do === 'silence') api.eachStream((stream) => stream.mute())
  if (step.do === 'bookmark') api.eachStream((stream) => stream.bookmark())
  if (step.do === 'garbage') everyStream('\u0000}{\n')
  if (step.do === 'compact') api.store.compact()
  if (step.do === 'half') {
    everyStream('{"type":"ADDED","object":{"meta')
    api.reset()
  }
  if (step.do === 'fault') {
    const { fault, verb } = step
    let left = 1
    api.faults.unshift((request) => (request.verb === verb && left-- > 0 ? fault : undefined))
  }
  if (step.do === 'write') {
    const object = configMap(step.name, { mine: `${step.value}` }, { ours: 'yes' })
    const options = { fieldManager: 'us', force: true }
    informer.observe(await client.apply(configMaps, object, options))
    expect(informer.get(`ns/${step.name}`)?.metadata.resourceVersion).toBe(
      api.store.get(place(step.name))!.metadata.resourceVersion,
    )
  }
}

test('after any writes and faults the cache equals the server and the changes are gapless', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const fixture = makeInformerFixture({ labelSelector: 'ours=yes' })
      const recorded = recordChanges(fixture.informer)
      const run = fixture.start()
      for (const step of steps) await take(step, fixture)
      await vi.advanceTimersByTimeAsync(400_000)

      const served = fixture.api.store
        .list('/configmaps', 'ns')
        .filter(({ metadata }) => metadata.labels?.ours === 'yes')
      const versions = (
        objects: Iterable<{ metadata: { name: string; resourceVersion?: string } }>,
      ) =>
        Array.from(objects, ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort()
      expect(versions(fixture.informer.list())).toEqual(versions(served))
      expect(versions(recorded.objects.values())).toEqual(versions(served))
      expect(fixture.metrics.text()).not.toContain('informer_missed_events_total')
      fixture.stop()
      await run
    }),
    { numRuns: 300, seed: 1 },
  )
})
