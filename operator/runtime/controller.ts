import { randomUUID } from 'node:crypto'
import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { isConflict } from './api-error.ts'
import type { Client } from './client.ts'
import { fencedClient, type Remaining } from './fence.ts'
import type { Change, Informer } from './informer.ts'
import { type KubeObject, objectKey } from './objects.ts'
import { makeQueue, type Queue } from './queue.ts'
import { withDeadline } from './time.ts'

/** `client` rejects writes once the lease may be lost. `signal` aborts then and at the deadline. */
export type ReconcileCall = { client: Client; signal: AbortSignal; log: Log; reconcileId: string }

/** `requeueAfter`: milliseconds until the next reconcile without a change. */
export type Result = { requeueAfter?: number | undefined } | undefined

export type Watch<T extends KubeObject> = {
  informer: Informer<T>
  /** Keys to reconcile when this object changes. Default: its own key. */
  mapToKeys?: (object: T) => string[]
  /** Which changes trigger a reconcile. Default: all. */
  predicate?: (change: Change<T>) => boolean
  /** Milliseconds during which further changes are coalesced. Default: 0. */
  coalesceMs?: number
}

export type ControllerOptions = {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: watches of different kinds stand in one list.
  watches: Watch<any>[]
  /** Reconciles one key. An exception requeues the key with exponential backoff. */
  reconcile: (key: string, context: ReconcileCall) => Promise<Result>
  /** Number of keys reconciled in parallel. Default: 1. A single key is never reconciled in parallel. */
  concurrency?: number
  /** Milliseconds after which a reconcile is aborted and fails. */
  deadlineMs?: number
}

export type LeaderTerm = {
  /** Finishes running reconciles and starts no new ones. */
  stop: AbortSignal
  /** Aborts running reconciles. */
  lost: AbortSignal
  remaining: Remaining
}

export interface Controller {
  readonly name: string
  readonly queue: Queue
  /** Reconciles all existing objects and every change until the term ends. */
  run(term: LeaderTerm): Promise<void>
}

type ControllerDeps = {
  client: Client
  log: Log
  metrics: Metrics
  /** Whether the caches of a namespace are complete. Default: always. */
  isSynced?: (namespace: string | undefined) => boolean
}

/** Delay of a key whose namespace cannot be read. */
const unsyncedRetryMs = 5_000

export function makeController(
  options: ControllerOptions,
  { client, log, metrics, isSynced = () => true }: ControllerDeps,
): Controller {
  const { name, watches, reconcile, concurrency = 1, deadlineMs = 120_000 } = options
  const queue = makeQueue({ name, metrics })
  const labels = { controller: name }
  metrics.gauge('controller_runtime_max_concurrent_reconciles', labels, concurrency)
  let active = 0

  async function reconcileKey(key: string, { lost, remaining }: LeaderTerm) {
    const namespace = key.includes('/') ? key.split('/')[0] : undefined
    if (!isSynced(namespace)) return queue.add(key, { after: unsyncedRetryMs, priority: 'low' })
    const reconcileId = randomUUID()
    const deadline = withDeadline(deadlineMs, lost)
    const { signal } = deadline
    const keyLog = withFields(log, { controller: name, object: key, reconcileId })
    const startedAt = performance.now()
    metrics.gauge('controller_runtime_active_workers', labels, ++active)
    let result: string
    try {
      const fenced = fencedClient(client, signal, remaining)
      const { requeueAfter } =
        (await reconcile(key, { client: fenced, signal, log: keyLog, reconcileId })) ?? {}
      queue.forget(key)
      // A resync has lower priority than a change.
      if (requeueAfter !== undefined) queue.add(key, { after: requeueAfter, priority: 'low' })
      result = requeueAfter === undefined ? 'success' : 'requeue_after'
    } catch (error) {
      result = 'error'
      if (!lost.aborted) handleFailure(key, error, keyLog)
    } finally {
      deadline.end()
      metrics.gauge('controller_runtime_active_workers', labels, --active)
    }
    metrics.count('controller_runtime_reconcile_total', { ...labels, result })
    metrics.time('controller_runtime_reconcile_time_seconds', labels, performance.now() - startedAt)
  }

  function handleFailure(key: string, error: unknown, log: Log) {
    queue.retry(key)
    metrics.count('controller_runtime_reconcile_errors_total', labels)
    if (isConflict(error)) log.info(errorFields(error), 'conflict, retrying')
    else log.error(errorFields(error), 'reconcile failed')
  }

  function subscribe<T extends KubeObject>({
    informer,
    mapToKeys = (object) => [objectKey(object)],
    predicate,
    coalesceMs = 0,
  }: Watch<T>) {
    return informer.subscribe((change) => {
      if (predicate && !predicate(change)) return
      const priority = change.type === 'resync' ? 'low' : 'normal'
      // Also reconciles the keys that the object mapped to before the change.
      const before = change.type === 'updated' ? mapToKeys(change.before) : []
      for (const key of new Set([...before, ...mapToKeys(change.object)])) {
        queue.add(key, { priority, after: coalesceMs })
      }
    })
  }

  return {
    name,
    queue,
    async run(term) {
      const subscriptions = watches.map(subscribe)
      await queue.run(concurrency, (key) => reconcileKey(key, term), term.stop)
      for (const end of subscriptions) end()
    },
  }
}

function withFields(log: Log, fields: object): Log {
  return {
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  }
}
