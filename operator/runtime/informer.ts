import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { ApiError, isGone } from './api-error.ts'
import type { Client } from './client.ts'
import { type Change, type Handler, makeMirror, versionOf } from './mirror.ts'
import { type KubeObject, keyOf, type Resource } from './objects.ts'
import type { Selection } from './reading.ts'
import { isNewer } from './store.ts'
import { DeadlineError, jittered, makeBackoff, sleep, within } from './time.ts'

export type { Change, Handler }

/** A local copy of a selection of objects, kept up to date by a watch. Objects are shared: never change one. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource
  /** By `namespace/name`. */
  get(key: string): T | undefined
  list(): T[]
  /** Objects for which the index of this name gave this value. */
  by(index: string, value: string): T[]
  /** Tells all objects that are there as added, then every change. Returns how to stop. */
  subscribe(handler: Handler<T>): () => void
  /** Takes in an answer to a write of ours, so that the next look does not see the past. */
  observe(object: T): void
  /** Whether the first list is complete. */
  readonly synced: boolean
  /** Milliseconds since the API server was last heard of. */
  silence(): number
}

export type InformerOptions<T> = Omit<Selection, 'namespace'> & {
  indexes?: Record<string, (object: T) => string[]>
}

export type Pace = {
  /** How long the server keeps a watch, at most. It says something at its end at the latest. */
  watchSeconds: number
  /** Milliseconds without a byte after which a watch is taken for dead: longer than a watch is kept. */
  silence: number
  /** Milliseconds after which all is listed again, in case something was missed. */
  relist: number
}

export const pace: Pace = { watchSeconds: 50, silence: 60_000, relist: 600_000 }

type Settings<T> = InformerOptions<T> & {
  client: Client
  log: Log
  metrics: Metrics
  resource: Resource
  namespace?: string | undefined
  pace?: Partial<Pace>
}

export type RunningInformer<T extends KubeObject> = Informer<T> & {
  readonly namespace: string | undefined
  /** Writes the gauges that only a look at the clock can tell. */
  measure(): void
  /** Lists and watches until the signal; no failure ends it. */
  run(signal: AbortSignal): Promise<void>
}

export function makeInformer<T extends KubeObject>(settings: Settings<T>): RunningInformer<T> {
  const { client, resource, metrics, namespace, indexes, pace: asked, ...rest } = settings
  const { log, ...selectors } = rest
  const selection: Selection = { namespace, ...selectors }
  const { watchSeconds, silence, relist: relistEvery } = { ...pace, ...asked }
  const labels = { resource: resource.plural, namespace: namespace ?? '' }
  const mirror = makeMirror<T>(log, indexes)
  const backoff = makeBackoff(100, 30_000)
  /** Up to here everything was told; unknown before the first list and after a gap. */
  let version: string | undefined
  let newest = '0'
  let synced = false
  let heardAt = performance.now()
  let relistAt = 0
  /** How often in a row a watch said what can't be trusted. */
  let doubts = 0

  const alive = () => {
    heardAt = performance.now()
  }

  async function relist(signal: AbortSignal) {
    const seen = new Set<string>()
    let at = '0'
    for await (const page of client.pages<T>(resource, { ...selection, signal })) {
      alive()
      at = page.resourceVersion
      if (isNewer(newest, at)) forget(at)
      for (const object of page.items) {
        seen.add(keyOf(object))
        if (!mirror.take(object)) mirror.resync(mirror.store.get(keyOf(object))!)
        else if (version !== undefined && !isNewer(versionOf(object), version)) {
          metrics.count('informer_missed_events_total', labels)
        }
      }
    }
    mirror.dropUnseen(seen, at)
    toldUpTo(at)
    synced = true
    relistAt = performance.now() + jittered(relistEvery)
    metrics.count('informer_relists_total', labels)
  }

  /** The server's past was put back, from a backup: what was known of the time since never was. */
  function forget(at: string) {
    mirror.dropUnseen(new Set(), newest)
    version = undefined
    newest = at
  }

  function toldUpTo(to: string) {
    version = to
    newest = to
  }

  async function follow(signal: AbortSignal) {
    const limit = within(Infinity, signal)
    const began = performance.now()
    const dog = watchdog(() => limit.abort(new DeadlineError(`silent for ${silence} ms`)))
    let events = 0
    try {
      const timeoutSeconds = Math.ceil(watchSeconds * (0.8 + 0.2 * Math.random()))
      const asked = { ...selection, resourceVersion: version!, timeoutSeconds }
      const stream = client.watch<T>(resource, { ...asked, signal: limit.signal, alive })
      for await (const { type, object } of stream) {
        if (type === 'ERROR')
          throw new ApiError(object.code ?? 0, object.reason ?? '', `watch: ${object.message}`)
        if (type === 'DELETED') mirror.drop(object)
        else if (type !== 'BOOKMARK') mirror.take(object)
        toldUpTo(versionOf(object))
        events++
        doubts = 0
        backoff.reset()
      }
    } finally {
      clearInterval(dog)
      limit.end()
    }
    // A watch that ends as soon as it began would otherwise be asked for without pause.
    if (events === 0 && performance.now() - began < 1_000) await sleep(backoff.next(), signal)
    else backoff.reset()
  }

  function watchdog(bark: () => void) {
    const began = performance.now()
    const look = () => performance.now() - Math.max(began, heardAt) >= silence && bark()
    return setInterval(look, Math.min(silence / 10, 1_000))
  }

  async function recover(error: unknown, signal: AbortSignal) {
    const status = error instanceof ApiError ? error : undefined
    const garbled = error instanceof SyntaxError
    if (garbled || (status && status.code !== 429)) doubts++
    const gone = isGone(error)
    if (gone || doubts >= 3) version = undefined
    const reason = gone ? 'gone' : status ? `${status.code}` : errorName(error)
    metrics.count('informer_watch_failures_total', { ...labels, reason })
    const wait = Math.max(backoff.next(), status?.retryAfter ?? 0)
    const fields = { ...labels, failures: backoff.failures, wait: Math.round(wait) }
    if (gone) log.info(fields, 'the watch fell behind: listing again')
    else log.warn({ ...fields, ...errorFields(error) }, 'list or watch failed')
    await sleep(wait, signal)
  }

  return {
    resource,
    namespace,
    get: mirror.store.get,
    list: mirror.store.list,
    by: mirror.store.by,
    subscribe: mirror.subscribe,
    observe(object) {
      // Behind the watch, the object may be gone again already.
      if (version !== undefined && !isNewer(versionOf(object), version)) return
      mirror.take(selection.metadataOnly ? metadataOf(object) : object)
    },
    get synced() {
      return synced
    },
    silence: () => performance.now() - heardAt,
    measure() {
      metrics.gauge('informer_objects', labels, mirror.store.size)
      metrics.gauge('informer_silence_seconds', labels, (performance.now() - heardAt) / 1000)
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          if (version === undefined || performance.now() >= relistAt) await relist(signal)
          await follow(signal)
        } catch (error) {
          if (!signal.aborted) await recover(error, signal)
        }
      }
    },
  }
}

/** What such an informer holds is its metadata alone, also of what we wrote ourselves. */
const metadataOf = <T extends KubeObject>({ apiVersion, kind, metadata }: T) =>
  ({ apiVersion, kind, metadata }) as T

const errorName = (error: unknown) =>
  error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown'
