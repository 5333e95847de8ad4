import type { Metrics } from '../../services/_kit/metrics.ts'

export type Priority = 'normal' | 'low'

export type QueueOptions = {
  name: string
  metrics: Metrics
  /** Milliseconds before the first retry of a key, doubled with each retry up to `maxDelayMs`. */
  baseDelayMs?: number
  maxDelayMs?: number
  /** Rate limit for the retries of all keys. */
  retriesPerSecond?: number
  retryBurst?: number
}

/**
 * Work queue. A key is queued once and processed by one worker at a time; a key added while it is processed
 * is queued again.
 */
export interface Queue {
  /** Adds a key after `after` milliseconds. A key that is already scheduled keeps the earlier time. */
  add(key: string, options?: { after?: number; priority?: Priority }): void
  /** Adds a failed key with exponential backoff. */
  retry(key: string): void
  /** Resets the backoff of a key. */
  forget(key: string): void
  /** Runs workers until the signal. Resolves after the last worker has finished; clears the queue. */
  run(workers: number, work: (key: string) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Updates the time-dependent gauges. */
  measure(): void
  readonly depth: number
}

export function makeQueue({
  name,
  metrics,
  baseDelayMs = 5,
  maxDelayMs = 300_000,
  retriesPerSecond = 10,
  retryBurst = 100,
}: QueueOptions): Queue {
  const labels = { controller: name, name }
  const ready: Record<Priority, Map<string, number>> = { normal: new Map(), low: new Map() }
  const running = new Map<string, number>()
  /** Keys added while they were processed. */
  const requeued = new Map<string, Priority>()
  const delayed = new Map<string, { due: number; timer: NodeJS.Timeout; priority: Priority }>()
  const failures = new Map<string, number>()
  const bucket = makeTokenBucket(retriesPerSecond, retryBurst)
  const idle: (() => void)[] = []
  let dequeueCount = 0

  const higherPriority = (one: Priority | undefined, other: Priority): Priority =>
    one === 'normal' ? one : other

  function enqueueNow(key: string, priority: Priority) {
    if (running.has(key)) {
      requeued.set(key, higherPriority(requeued.get(key), priority))
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

  function schedule(key: string, after: number, priority: Priority) {
    const due = performance.now() + after
    const waiting = delayed.get(key)
    if (waiting && waiting.due <= due) {
      waiting.priority = higherPriority(waiting.priority, priority)
      return
    }
    clearTimeout(waiting?.timer)
    const timer = setTimeout(() => enqueueDue(key), after)
    delayed.set(key, { due, timer, priority: higherPriority(waiting?.priority, priority) })
  }

  function enqueueDue(key: string) {
    const { priority } = delayed.get(key)!
    delayed.delete(key)
    enqueueNow(key, priority)
  }

  /** Low-priority keys are taken if no other key is queued, and every tenth time to prevent starvation. */
  function take(): string | undefined {
    const lowFirst = ++dequeueCount % 10 === 0
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
      const priority = requeued.get(key)
      requeued.delete(key)
      if (priority) enqueueNow(key, priority)
    }
  }

  function clear() {
    for (const { timer } of delayed.values()) clearTimeout(timer)
    for (const left of [ready.normal, ready.low, delayed, failures]) left.clear()
  }

  return {
    add(key, { after = 0, priority = 'normal' } = {}) {
      const isReady = ready.normal.has(key) || ready.low.has(key)
      if (after > 0 && !isReady) return schedule(key, after, priority)
      const waiting = delayed.get(key)
      clearTimeout(waiting?.timer)
      delayed.delete(key)
      enqueueNow(key, higherPriority(waiting?.priority, priority))
    },
    retry(key) {
      const failed = failures.get(key) ?? 0
      failures.set(key, failed + 1)
      metrics.count('workqueue_retries_total', labels)
      schedule(
        key,
        Math.max(Math.min(baseDelayMs * 2 ** failed, maxDelayMs), bucket.take()),
        'normal',
      )
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

/** Token bucket: takes a token and returns the milliseconds to wait for it. */
export function makeTokenBucket(perSecond: number, burst: number) {
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
