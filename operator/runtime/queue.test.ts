import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { makeQueue, makeTokenBucket, type Queue } from './queue.ts'
import { sleep } from './time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const testQueue = (options = {}) => makeQueue({ name: 'test', metrics: makeMetrics(), ...options })

/** Starts workers that need `duration` per key and records their work. */
function runWorkers(queue: Queue, workers: number, duration: (key: string) => number = () => 10) {
  const stop = new AbortController()
  const running = new Set<string>()
  const began: { key: string; at: number }[] = []
  let maxRunning = 0
  const done = queue.run(
    workers,
    async (key) => {
      expect(running.has(key), `${key} is worked on twice at once`).toBe(false)
      running.add(key)
      began.push({ key, at: performance.now() })
      maxRunning = Math.max(maxRunning, running.size)
      await sleep(duration(key))
      running.delete(key)
    },
    stop.signal,
  )
  const end = async () => {
    stop.abort()
    await vi.runAllTimersAsync()
    await done
  }
  return { began, end, most: () => maxRunning, keys: () => began.map(({ key }) => key) }
}

const Step = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  wait: fc.integer({ min: 0, max: 30 }),
  after: fc.constantFrom(0, 0, 5, 40),
  priority: fc.constantFrom('normal' as const, 'low' as const),
})

test('every added key is processed, never by two workers at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, workers) => {
        const queue = testQueue()
        const work = runWorkers(queue, workers, (key) => key.charCodeAt(0) % 7)
        const addedAt = new Map<string, number>()
        for (const { key, wait, after, priority } of steps) {
          await vi.advanceTimersByTimeAsync(wait)
          queue.add(key, { after, priority })
          addedAt.set(key, performance.now())
        }
        await vi.advanceTimersByTimeAsync(1_000)
        for (const [key, at] of addedAt) {
          const last = work.began.findLast((begun) => begun.key === key)
          expect(last?.at, `${key} was not worked on after it was added`).toBeGreaterThanOrEqual(at)
        }
        expect(work.most()).toBeLessThanOrEqual(workers)
        expect(work.began.length).toBeLessThanOrEqual(steps.length)
        expect(queue.depth).toBe(0)
        await work.end()
      },
    ),
    { numRuns: 200, seed: 1 },
  )
})

test('a key added repeatedly during processing is processed once more', async () => {
  const queue = testQueue()
  const work = runWorkers(queue, 3)
  queue.add('a')
  await vi.advanceTimersByTimeAsync(5)
  for (let n = 0; n < 10; n++) queue.add('a')
  await vi.advanceTimersByTimeAsync(100)
  expect(work.keys()).toEqual(['a', 'a'])
  await work.end()
})

test('a scheduled key keeps the earlier of two times', async () => {
  const queue = testQueue()
  const work = runWorkers(queue, 1, () => 0)
  queue.add('a', { after: 1_000 })
  queue.add('a', { after: 100 })
  queue.add('a', { after: 5_000 })
  await vi.advanceTimersByTimeAsync(99)
  expect(work.keys()).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(work.keys()).toEqual(['a'])
  await work.end()
})

test('a ready key is not delayed or duplicated', async () => {
  const queue = testQueue()
  queue.add('a')
  queue.add('a', { after: 50 })
  queue.add('b', { priority: 'low' })
  queue.add('b', { after: 50 })
  const work = runWorkers(queue, 1, () => 0)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work.keys()).toEqual(['a', 'b'])
  await work.end()
})

test('low priority comes last without starvation', async () => {
  const queue = testQueue()
  for (let n = 0; n < 5; n++) queue.add(`low-${n}`, { priority: 'low' })
  for (let n = 0; n < 20; n++) queue.add(`normal-${n}`)
  const work = runWorkers(queue, 1, () => 1)
  await vi.advanceTimersByTimeAsync(100)
  const order = work.keys()
  expect(order.slice(0, 9).every((key) => key.startsWith('normal'))).toBe(true)
  expect(order[9]).toBe('low-0')
  expect(order).toHaveLength(25)
  await work.end()
})

test('a key added with a higher priority moves forward', async () => {
  const queue = testQueue()
  queue.add('late', { priority: 'low' })
  queue.add('other')
  queue.add('late')
  const work = runWorkers(queue, 1, () => 1)
  await vi.advanceTimersByTimeAsync(10)
  expect(work.keys()).toEqual(['other', 'late'])
  await work.end()
})

test('retries back off exponentially up to the maximum until forget', async () => {
  const queue = testQueue({ baseDelayMs: 10, maxDelayMs: 50 })
  const work = runWorkers(queue, 1, () => 0)
  const waits: number[] = []
  for (let n = 0; n < 6; n++) {
    if (n === 5) queue.forget('a')
    const at = performance.now()
    queue.retry('a')
    await vi.advanceTimersByTimeAsync(60)
    waits.push(work.began.at(-1)!.at - at)
  }
  expect(waits).toEqual([10, 20, 40, 50, 50, 10])
  await work.end()
})

test('many simultaneous retries are rate limited', () => {
  const bucket = makeTokenBucket(10, 5)
  const waits = Array.from({ length: 8 }, () => Math.round(bucket.take()))
  expect(waits).toEqual([0, 0, 0, 0, 0, 100, 200, 300])
  vi.advanceTimersByTime(2_000)
  expect(bucket.take()).toBe(0)
})

test('a stop starts no new work and waits for running work', async () => {
  const queue = testQueue()
  const stop = new AbortController()
  const done: string[] = []
  const run = queue.run(1, (key) => sleep(50).then(() => void done.push(key)), stop.signal)
  queue.add('a')
  queue.add('b')
  queue.add('c', { after: 10 })
  await vi.advanceTimersByTimeAsync(20)
  stop.abort()
  await vi.advanceTimersByTimeAsync(1_000)
  await run
  expect(done).toEqual(['a'])
  expect(vi.getTimerCount()).toBe(0)
})

test('an exception does not end the worker', async () => {
  const queue = testQueue()
  const stop = new AbortController()
  const seen: string[] = []
  void queue.run(1, (key) => Promise.reject(new Error(`no ${seen.push(key)}`)), stop.signal)
  queue.add('a')
  await vi.advanceTimersByTimeAsync(1)
  queue.add('b')
  await vi.advanceTimersByTimeAsync(1)
  expect(seen).toEqual(['a', 'b'])
  stop.abort()
})

test('metrics have the names of controller-runtime', async () => {
  const metrics = makeMetrics()
  const queue = makeQueue({ name: 'suites', metrics })
  queue.add('a')
  queue.add('a')
  queue.measure()
  expect(metrics.text()).toContain('workqueue_depth{controller="suites",name="suites"} 1')
  expect(metrics.text()).toContain('workqueue_adds_total{controller="suites",name="suites"} 1')
})
