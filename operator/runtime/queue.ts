import type { Metrics } from '../../services/_kit/metrics.ts'

export type Priority = 'normal' | 'low'

export type QueueOptions = {
  name: string
  metrics: Metrics
  /** Milliseconds before the first retry of a key; doubled with each further one, up to the most. */
  firstRetry?: number
  mostRetry?: number
  /** Of retries of all keys together, in a second, and at once. */
  retriesPerSecond?: number
  retryBurst?: number
}

/**
 * Keys to work on. A key is worked on by one worker at a time and stands in the queue once: added while it
 * is worked on, it comes again afterwards.
 */
export interface Queue {
  /** `after` milliseconds. A key that waits already comes once, at the earlier of both times. */
  add(key: string, options?: { after?: number; priority?: Priority }): void
  /** Adds a key again that failed, each time later. */
  retry(key: string): void
  /** The key did not fail: its next failure is its first. */
  forget(key: string): void
  /** Works until the signal; resolves when the last work has ended, and forgets what is left. */
  run(workers: number, work: (key: string) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Writes the gauges that only a look at the clock can tell. */
  measure(): void
  readonly depth: number
}

export function makeQueue({
  name,
  metrics,
  firstRetry = 5,
  mostRetry = 300_000,
  retriesPerSecond = 10,
  retryBurst = 100,
}: QueueOptions): Queue {
  const labels = { controller: name, name }
  const ready: Record<Priority, Map<string, number>> = { normal: new Map(), low: new Map() }
  const running = new Map<string, number>()
  /** Added while they ran. */
  const again = new Map<string, Priority>()
  const delayed = new Map<string, { due: number; timer: NodeJS.Timeout; priority: Priority }>()
  const failures = new Map<string, number>()
  const bucket = makeBucket(retriesPerSecond, retryBurst)
  const idle: (() => void)[] = []
  let picks = 0

  const higher = (one: Priority | undefined, other: Priority): Priority =>
    one === 'normal' ? one : other

  function put(key: string, priority: Priority) {
    if (running.has(key)) {
      again.set(key, higher(again.get(key), priority))
      return
    }
    if (ready.normal.has(key)) return
    if (priority === 'low' && ready.low.has(key)) return
    const since = ready.low.get(key) ?? performance.now()
    ready.low.delete(key)
    ready[priority].set(key, since)
    metrics.count('workqueue_adds_total', labels)
    idle.shift()?.()
  }

  function later(key: string, after: number, priority: Priority) {
    const due = performance.now() + after
    const waiting = delayed.get(key)
    if (waiting && waiting.due <= due) {
      waiting.priority = higher(waiting.priority, priority)
      return
    }
    clearTimeout(waiting?.timer)
    const timer = setTimeout(() => arrive(key), after)
    delayed.set(key, { due, timer, priority: higher(waiting?.priority, priority) })
  }

  function arrive(key: string) {
    const { priority } = delayed.get(key)!
    delayed.delete(key)
    put(key, priority)
  }

  /** What is low comes when nothing else waits, and every tenth time, so that it comes at all. */
  function take(): string | undefined {
    const lowFirst = ++picks % 10 === 0
    const order = lowFirst ? [ready.low, ready.normal] : [ready.normal, ready.low]
    for (const keys of order) {
      for (const [key, since] of keys) {
        keys.delete(key)
        metrics.time('workqueue_queue_duration_seconds', labels, performance.now() - since)
        return key
      }
    }
    return undefined
  }

  async function worker(work: (key: string) => Promise<void>, signal: AbortSignal) {
    while (!signal.aborted) {
      const key = take()
      if (key === undefined) {
        await new Promise<void>((resolve) => void idle.push(resolve))
        continue
      }
      running.set(key, performance.now())
      await work(key).catch(() => {})
      metrics.time('workqueue_work_duration_seconds', labels, performance.now() - running.get(key)!)
      running.delete(key)
      const priority = again.get(key)
      again.delete(key)
      if (priority) put(key, priority)
    }
  }

  function clear() {
    for (const { timer } of delayed.values()) clearTimeout(timer)
    for (const left of [ready.normal, ready.low, delayed, failures]) left.clear()
  }

  return {
    add(key, { after = 0, priority = 'normal' } = {}) {
      const isReady = ready.normal.has(key) || ready.low.has(key)
      if (after > 0 && !isReady) return later(key, after, priority)
      const waiting = delayed.get(key)
      clearTimeout(waiting?.timer)
      delayed.delete(key)
      put(key, higher(waiting?.priority, priority))
    },
    retry(key) {
      const failed = failures.get(key) ?? 0
      failures.set(key, failed + 1)
      metrics.count('workqueue_retries_total', labels)
      later(key, Math.max(Math.min(firstRetry * 2 ** failed, mostRetry), bucket.take()), 'normal')
    },
    forget: (key) => void failures.delete(key),
    async run(workers, work, signal) {
      const wake = () => idle.splice(0).forEach((resolve) => void resolve())
      signal.addEventListener('abort', wake)
      await Promise.all(Array.from({ length: workers }, () => worker(work, signal)))
      signal.removeEventListener('abort', wake)
      clear()
    },
    measure() {
      const ages = [...running.values()].map((since) => (performance.now() - since) / 1000)
      metrics.gauge('workqueue_depth', labels, this.depth)
      metrics.gauge(
        'workqueue_unfinished_work_seconds',
        labels,
        ages.reduce((a, b) => a + b, 0),
      )
      metrics.gauge('workqueue_longest_running_processor_seconds', labels, Math.max(0, ...ages))
    },
    get depth() {
      return ready.normal.size + ready.low.size
    },
  }
}

/** Gives the milliseconds to wait for one's turn, and takes that turn. */
export function makeBucket(perSecond: number, burst: number) {
  let tokens = burst
  let at = performance.now()
  return {
    take(): number {
      const now = performance.now()
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond) - 1
      at = now
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
  }
}
