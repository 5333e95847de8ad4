import { randomBytes } from 'node:crypto'
import { errorFields, type Log } from '../../services/_kit/log.ts'
import { isNotFound } from './api-error.ts'
import type { Client } from './client.ts'
import type { KubeObject, Ref } from './objects.ts'
import { makeBucket } from './queue.ts'
import { resourceOf } from './resources.ts'

export type Note = {
  type: 'Normal' | 'Warning'
  /** Why, in UpperCamelCase, at most 128 characters. */
  reason: string
  /** What was done or tried, in UpperCamelCase. */
  action: string
  /** For people, cut at 1,024 bytes. */
  note: string
}

/** Writes Events. Repeats become a count, a flood is cut, and a failure is nobody's business. */
export interface Recorder {
  record(regarding: KubeObject, event: Note): void
  /** Waits until what was recorded has been sent or given up. */
  flush(): Promise<void>
}

type Series = { count: number; at: number; written: Promise<Ref | undefined> }

type Options = {
  client: Client
  log: Log
  /** Of this process, at most 128 characters. */
  instance: string
  controller?: string
}

const events = resourceOf('events.k8s.io/v1', 'Event')
/** A repeat after this long is news again. */
const seriesAge = 360_000
/** So many different notes of one reason; what comes then counts as one. */
const similarMost = 10
const pendingMost = 1_000

export function makeRecorder({
  client,
  log,
  instance,
  controller = 'legal-suite-operator',
}: Options): Recorder {
  const series = new Map<string, Series>()
  const similar = new Map<string, { notes: Set<string>; at: number }>()
  const buckets = new Map<string, { take(): number; at: number }>()
  let pending = 0
  let tail: Promise<unknown> = Promise.resolve()

  /** One after the other: events are the least of what the API server has to do. */
  function later<T>(send: () => Promise<T>): Promise<T | undefined> {
    pending++
    const sent = tail.then(send).catch((error: unknown) => {
      log.warn(errorFields(error), 'an event was not written')
      return undefined
    })
    tail = sent.then(() => pending--)
    return sent
  }

  async function create(regarding: KubeObject, event: Note): Promise<Ref> {
    const body = eventOf(regarding, event, controller, instance)
    await client.create(events, body, { deadline: 5_000 })
    return body.metadata
  }

  async function repeat(known: Series, begin: () => Promise<Ref>) {
    const ref = await known.written
    const again = { series: { count: known.count, lastObservedTime: microtime() } }
    try {
      if (ref) return await client.merge(events, ref, again, { deadline: 5_000 })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    // The first one was never written, or has been cleaned away.
    known.count = 1
    const written = begin()
    known.written = written.catch(() => undefined)
    return written
  }

  /** 25 at once for an object, then one in five minutes. */
  function isFlood(uid: string, now: number): boolean {
    const bucket = buckets.get(uid) ?? { ...makeRefusal(1 / 300, 25), at: now }
    bucket.at = now
    buckets.set(uid, bucket)
    return bucket.take() > 0
  }

  function keyOf(regarding: KubeObject, { type, reason, action, note }: Note, now: number) {
    const kind = [regarding.metadata.uid, type, reason, action].join('\n')
    const seen = similar.get(kind) ?? { notes: new Set(), at: now }
    seen.at = now
    similar.set(kind, seen)
    if (seen.notes.size < similarMost) seen.notes.add(note)
    return seen.notes.has(note) ? `${kind}\n${note}` : kind
  }

  return {
    record(regarding, event) {
      const now = performance.now()
      for (const map of [series, similar, buckets]) forgetOld(map, now)
      const key = keyOf(regarding, event, now)
      const known = series.get(key)
      if (known) Object.assign(known, { at: now, count: known.count + 1 })
      if (isFlood(regarding.metadata.uid ?? '', now) || pending >= pendingMost) return
      const begin = () => create(regarding, event)
      if (known) void later(() => repeat(known, begin))
      else series.set(key, { count: 1, at: now, written: later(begin) })
    },
    async flush() {
      await tail
    },
  }
}

/** A bucket in which those who come too early leave no trace. */
function makeRefusal(perSecond: number, burst: number) {
  let bucket = makeBucket(perSecond, burst)
  let freeAt = 0
  return {
    take() {
      const now = performance.now()
      if (now < freeAt) return freeAt - now
      const wait = bucket.take()
      if (wait > 0) {
        freeAt = now + wait
        bucket = makeBucket(perSecond, 1)
      }
      return wait
    },
  }
}

function forgetOld(map: Map<string, { at: number }>, now: number) {
  for (const [key, { at }] of map) {
    if (now - at < seriesAge && map.size <= 4_096) return
    map.delete(key)
  }
}

const cut = (text: string, bytes: number) =>
  Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')

function eventOf(
  regarding: KubeObject,
  { type, reason, action, note }: Note,
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
    reason: cut(reason, 128),
    action: cut(action, 128),
    note: cut(note, 1024),
  }
}

const microtime = () => new Date().toISOString().replace('Z', '000Z')
