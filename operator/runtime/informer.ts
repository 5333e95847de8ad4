import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { ApiError, isGone } from './api-error.ts'
import type { Client } from './client.ts'
import { type Change, getResourceVersion, type Handler, makeObjectCache } from './object-cache.ts'
import { type KubeObject, objectKey, type Resource } from './objects.ts'
import type { Selection } from './read-calls.ts'
import { isNewer } from './store.ts'
import { DeadlineError, makeBackoff, sleep, withDeadline, withJitter } from './time.ts'

export type { Change, Handler }

/** A cache of selected objects, kept current by a watch. Objects are shared and must not be modified. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource
  /** Key: `namespace/name`. */
  get(key: string): T | undefined
  list(): T[]
  /** Returns objects by the value of an index. */
  by(index: string, value: string): T[]
  /** Reports all existing objects as added, then each change. Returns a function that unsubscribes. */
  subscribe(handler: Handler<T>): () => void
  /** Adds the response to an own write, so that the next reconcile reads no stale object. */
  observe(object: T): void
  /** Whether the first list is complete. */
  readonly synced: boolean
  /** Why the API server denies the list, before it succeeds again. */
  readonly denied: string | undefined
  /** Milliseconds since the last byte from the API server. */
  idleMs(): number
}

export type InformerOptions<T> = Omit<Selection, 'namespace'> & {
  indexes?: Record<string, (object: T) => string[]>
  /** Reduces an object to the fields that are read, before it is cached. Keeps the metadata of its version. */
  trim?: (object: T) => T
}

export type InformerTiming = {
  /** Maximum duration of a watch. The server sends a bookmark at its end. */
  watchSeconds: number
  /** Milliseconds without a byte after which a watch counts as dead. Must exceed the duration of a watch. */
  idleMs: number
  /** Milliseconds between full lists, which find missed events. */
  relist: number
}

export const timing: InformerTiming = { watchSeconds: 50, idleMs: 60_000, relist: 600_000 }

type InformerSettings<T> = InformerOptions<T> & {
  client: Client
  log: Log
  metrics: Metrics
  resource: Resource
  namespace?: string | undefined
  timing?: Partial<InformerTiming>
}

export type RunningInformer<T extends KubeObject> = Informer<T> & {
  readonly namespace: string | undefined
  /** Updates the time-dependent gauges. */
  measure(): void
  /** Lists and watches until the signal. Failures are retried. */
  run(signal: AbortSignal): Promise<void>
}

export function makeInformer<T extends KubeObject>(
  settings: InformerSettings<T>,
): RunningInformer<T> {
  const { client, resource, metrics, namespace, indexes, timing: overrides, ...others } = settings
  const { log, trim = (object: T) => object, ...selectors } = others
  const selection: Selection = { namespace, ...selectors }
  const { watchSeconds, idleMs, relist: relistEvery } = { ...timing, ...overrides }
  const labels = { resource: resource.plural, namespace: namespace ?? '' }
  const cache = makeObjectCache<T>(log, indexes)
  const backoff = makeBackoff(100, 30_000)
  /** All changes up to this version are known. Undefined before the first list and after a gap. */
  let version: string | undefined
  let newest = '0'
  let synced = false
  let denied: string | undefined
  let lastByteAt = performance.now()
  let relistAt = 0
  /** Number of consecutive invalid watch responses. */
  let untrustedReads = 0

  const markAlive = () => {
    lastByteAt = performance.now()
  }

  async function relist(signal: AbortSignal) {
    const listedKeys = new Set<string>()
    let listVersion = '0'
    for await (const page of client.pages<T>(resource, { ...selection, signal })) {
      markAlive()
      listVersion = page.resourceVersion
      if (isNewer(newest, listVersion)) resetTo(listVersion)
      for (const object of page.items.map(trim)) {
        listedKeys.add(objectKey(object))
        if (!cache.take(object)) cache.resync(cache.store.get(objectKey(object))!)
        else if (version !== undefined && !isNewer(getResourceVersion(object), version)) {
          metrics.count('informer_missed_events_total', labels)
        }
      }
    }
    cache.removeMissing(listedKeys, listVersion)
    advanceVersion(listVersion)
    synced = true
    denied = undefined
    relistAt = performance.now() + withJitter(relistEvery)
    metrics.count('informer_relists_total', labels)
  }

  /** The resource version went backwards (etcd was restored). Drops all newer objects. */
  function resetTo(listVersion: string) {
    cache.removeMissing(new Set(), newest)
    version = undefined
    newest = listVersion
  }

  function advanceVersion(to: string) {
    version = to
    newest = to
  }

  async function watch(signal: AbortSignal) {
    const deadline = withDeadline(Infinity, signal)
    const startedAt = performance.now()
    const watchdogTimer = watchdog(() =>
      deadline.abort(new DeadlineError(`no data for ${idleMs} ms`)),
    )
    let events = 0
    try {
      const timeoutSeconds = Math.ceil(watchSeconds * (0.8 + 0.2 * Math.random()))
      const overrides = { ...selection, resourceVersion: version!, timeoutSeconds }
      const stream = client.watch<T>(resource, {
        ...overrides,
        signal: deadline.signal,
        onBytes: markAlive,
      })
      for await (const { type, object } of stream) {
        if (type === 'ERROR')
          throw new ApiError(object.code ?? 0, object.reason ?? '', `watch: ${object.message}`)
        if (type === 'DELETED') cache.removeUnlessNewer(trim(object))
        else if (type !== 'BOOKMARK') cache.take(trim(object))
        advanceVersion(getResourceVersion(object))
        events++
        untrustedReads = 0
        backoff.reset()
      }
    } finally {
      clearInterval(watchdogTimer)
      deadline.end()
    }
    // Throttles watches that end immediately.
    if (events === 0 && performance.now() - startedAt < 1_000) await sleep(backoff.next(), signal)
    else backoff.reset()
  }

  function watchdog(onIdle: () => void) {
    const startedAt = performance.now()
    const check = () => performance.now() - Math.max(startedAt, lastByteAt) >= idleMs && onIdle()
    return setInterval(check, Math.min(idleMs / 10, 1_000))
  }

  async function recover(error: unknown, signal: AbortSignal) {
    const status = error instanceof ApiError ? error : undefined
    denied = status?.code === 403 ? status.message : denied
    const garbled = error instanceof SyntaxError
    if (garbled || (status && status.code !== 429)) untrustedReads++
    const gone = isGone(error)
    if (gone || untrustedReads >= 3) version = undefined
    const reason = gone ? 'gone' : status ? `${status.code}` : errorName(error)
    metrics.count('informer_watch_failures_total', { ...labels, reason })
    const delayMs = Math.max(backoff.next(), status?.retryAfter ?? 0)
    const fields = { ...labels, failures: backoff.failures, wait: Math.round(delayMs) }
    if (gone) log.info(fields, 'watch expired, listing again')
    else log.warn({ ...fields, ...errorFields(error) }, 'list or watch failed')
    await sleep(delayMs, signal)
  }

  return {
    resource,
    namespace,
    get: cache.store.get,
    list: cache.store.list,
    by: cache.store.by,
    subscribe: cache.subscribe,
    observe(object) {
      // An object older than the watch may already be deleted.
      if (version !== undefined && !isNewer(getResourceVersion(object), version)) return
      cache.take(selection.metadataOnly ? toMetadataOnly(object) : trim(object))
    },
    get synced() {
      return synced
    },
    get denied() {
      return denied
    },
    idleMs: () => performance.now() - lastByteAt,
    measure() {
      metrics.gauge('informer_objects', labels, cache.store.size)
      metrics.gauge('informer_silence_seconds', labels, (performance.now() - lastByteAt) / 1000)
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          if (version === undefined || performance.now() >= relistAt) await relist(signal)
          await watch(signal)
        } catch (error) {
          if (!signal.aborted) await recover(error, signal)
        }
      }
    },
  }
}

/** Keeps only metadata, also of own writes. */
const toMetadataOnly = <T extends KubeObject>({ apiVersion, kind, metadata }: T) =>
  ({ apiVersion, kind, metadata }) as T

const errorName = (error: unknown) =>
  error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown'
