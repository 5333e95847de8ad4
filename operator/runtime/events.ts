import { randomBytes } from 'node:crypto'
import { errorFields, type Log } from '../../services/_kit/log.ts'
import { ApiError, isConflict, isNotFound } from './api-error.ts'
import type { Client } from './client.ts'
import { makeEventBudgets } from './event-budget.ts'
import type { KubeObject, Ref } from './objects.ts'
import { getResource } from './resources.ts'
import { sleep } from './time.ts'

export type EventRecord = {
  type: 'Normal' | 'Warning'
  /** UpperCamelCase, at most 128 characters. */
  reason: string
  /** What was done or attempted, in UpperCamelCase. */
  action: string
  /** Human-readable text, truncated to 1,024 bytes. */
  note: string
}

/** Writes Events. Repeats increment a count, the rate is limited, and failures are only logged. */
export interface Recorder {
  record(regarding: KubeObject, event: EventRecord): void
  /** Waits until all recorded events are sent or dropped. */
  flush(): Promise<void>
}

type Series = { count: number; at: number; written: Promise<Ref | undefined> }

type RecorderOptions = {
  client: Client
  log: Log
  /** Identity of this process, at most 128 characters. */
  instance: string
  controller?: string
}

const events = getResource('events.k8s.io/v1', 'Event')
/** A repeat after this time is a new Event. */
const seriesMaxAgeMs = 360_000
/** Different notes per reason. Further notes are counted in one Event. */
const maxSimilarNotes = 10
const maxPending = 1_000
const maxAttempts = 4
const retryDelayMs = 500

export function makeRecorder({
  client,
  log,
  instance,
  controller = 'legal-suite-operator',
}: RecorderOptions): Recorder {
  const series = new Map<string, Series>()
  const similar = new Map<string, { notes: Set<string>; at: number }>()
  const { budgets, take } = makeEventBudgets()
  let pending = 0
  let tail: Promise<unknown> = Promise.resolve()

  /** Sends one event at a time to limit the load on the API server. */
  function enqueue<T>(send: () => Promise<T>): Promise<T | undefined> {
    pending++
    const sent = tail.then(send).catch((error: unknown) => {
      log.warn(errorFields(error), 'event write failed')
      return undefined
    })
    tail = sent.then(() => pending--)
    return sent
  }

  async function create(regarding: KubeObject, event: EventRecord): Promise<Ref> {
    const body = buildEvent(regarding, event, controller, instance)
    for (let attempt = 1; ; attempt++) {
      try {
        await client.create(events, body, { deadlineMs: 5_000 })
        return body.metadata
      } catch (error) {
        // The name is random: a conflict means that an earlier attempt has succeeded.
        if (attempt > 1 && isConflict(error)) return body.metadata
        if (attempt === maxAttempts || !isRetryable(error)) throw error
        await sleep(retryDelayMs * attempt)
      }
    }
  }

  async function repeat(existing: Series, createFirst: () => Promise<Ref>) {
    const ref = await existing.written
    const patch = { series: { count: existing.count, lastObservedTime: microtime() } }
    try {
      if (ref) return await client.merge(events, ref, patch, { deadlineMs: 5_000 })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    // The first Event was never written or has expired.
    existing.count = 1
    const written = createFirst()
    existing.written = written.catch(() => undefined)
    return written
  }

  function isWithinBudget(uid: string, key: string, event: EventRecord, isRepeat: boolean) {
    const name = isRepeat ? key : [uid, event.type === 'Warning' ? event.reason : ''].join('\n')
    return take(name, performance.now())
  }

  function seriesKey(
    regarding: KubeObject,
    { type, reason, action, note }: EventRecord,
    now: number,
  ) {
    const kind = [regarding.metadata.uid, type, reason, action].join('\n')
    const recent = similar.get(kind) ?? { notes: new Set(), at: now }
    recent.at = now
    similar.set(kind, recent)
    if (recent.notes.size < maxSimilarNotes) recent.notes.add(note)
    return recent.notes.has(note) ? `${kind}\n${note}` : kind
  }

  return {
    record(regarding, event) {
      const now = performance.now()
      for (const map of [series, similar, budgets]) evictOld(map, now)
      const key = seriesKey(regarding, event, now)
      const existing = series.get(key)
      if (existing) Object.assign(existing, { at: now, count: existing.count + 1 })
      const uid = regarding.metadata.uid ?? ''
      if (pending >= maxPending || !isWithinBudget(uid, key, event, Boolean(existing))) return
      const createFirst = () => create(regarding, event)
      if (existing) void enqueue(() => repeat(existing, createFirst))
      else series.set(key, { count: 1, at: now, written: enqueue(createFirst) })
    },
    async flush() {
      await tail
    },
  }
}

const isRetryable = (error: unknown) => !(error instanceof ApiError) || error.code >= 500

function evictOld(map: Map<string, { at: number }>, now: number) {
  for (const [key, { at }] of map) {
    if (now - at < seriesMaxAgeMs && map.size <= 4_096) return
    map.delete(key)
  }
}

const truncateBytes = (text: string, maxBytes: number) =>
  Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')

function buildEvent(
  regarding: KubeObject,
  { type, reason, action, note }: EventRecord,
  controller: string,
  instance: string,
): KubeObject {
  const { apiVersion, kind, metadata } = regarding
  const { name, namespace = 'default', uid, resourceVersion } = metadata
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}` },
    eventTime: microtime(),
    reportingController: controller,
    reportingInstance: instance.slice(0, 128),
    regarding: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type,
    reason: truncateBytes(reason, 128),
    action: truncateBytes(action, 128),
    note: truncateBytes(note, 1024),
  }
}

const microtime = () => new Date().toISOString().replace('Z', '000Z')
