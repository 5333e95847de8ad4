import { randomUUID } from 'node:crypto'
import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { isConflict } from './api-error.ts'
import type { Client } from './client.ts'
import { fencedClient, type Remaining } from './fence.ts'
import type { Change, Informer } from './informer.ts'
import { type KubeObject, keyOf } from './objects.ts'
import { makeQueue, type Queue } from './queue.ts'
import { within } from './time.ts'

/** `client` refuses to write once the lease may be lost; `signal` aborts then, and at the deadline. */
export type Context = { client: Client; signal: AbortSignal; log: Log; reconcileId: string }

/** Milliseconds after which to look again, though nothing changes. */
export type Result = { requeueAfter?: number | undefined } | undefined

export type Watch<T extends KubeObject> = {
  informer: Informer<T>
  /** The keys to reconcile when this object changes; its own when left out. */
  keys?: (object: T) => string[]
  /** Which changes matter; all when left out. */
  when?: (change: Change<T>) => boolean
  /** Milliseconds to wait for further changes, which then count as one; none when left out. */
  gather?: number
}

export type ControllerOptions = {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: watches of different kinds stand in one list.
  watches: Watch<any>[]
  /** Brings one key to what is wanted. What it throws brings the key back, each time later. */
  reconcile: (key: string, context: Context) => Promise<Result>
  /** How many keys at once; 1 when left out. One key is never reconciled twice at once. */
  concurrency?: number
  /** Milliseconds after which a reconcile is aborted and counts as failed. */
  deadline?: number
}

export type Term = {
  /** Lets what runs end, and begins nothing more. */
  stop: AbortSignal
  /** Aborts what runs. */
  lost: AbortSignal
  remaining: Remaining
}

export interface Controller {
  readonly name: string
  readonly queue: Queue
  /** Reconciles all there is and whatever changes, until the term ends. */
  run(term: Term): Promise<void>
}

type Given = { client: Client; log: Log; metrics: Metrics }

export function makeController(
  options: ControllerOptions,
  { client, log, metrics }: Given,
): Controller {
  const { name, watches, reconcile, concurrency = 1, deadline = 120_000 } = options
  const queue = makeQueue({ name, metrics })
  const labels = { controller: name }
  metrics.gauge('controller_runtime_max_concurrent_reconciles', labels, concurrency)
  let active = 0

  async function work(key: string, { lost, remaining }: Term) {
    const reconcileId = randomUUID()
    const limit = within(deadline, lost)
    const { signal } = limit
    const told = withFields(log, { controller: name, object: key, reconcileId })
    const began = performance.now()
    metrics.gauge('controller_runtime_active_workers', labels, ++active)
    let result: string
    try {
      const fenced = fencedClient(client, signal, remaining)
      const { requeueAfter } =
        (await reconcile(key, { client: fenced, signal, log: told, reconcileId })) ?? {}
      queue.forget(key)
      // Nobody asked for this look, so whoever asks for one comes first.
      if (requeueAfter !== undefined) queue.add(key, { after: requeueAfter, priority: 'low' })
      result = requeueAfter === undefined ? 'success' : 'requeue_after'
    } catch (error) {
      result = 'error'
      if (!lost.aborted) failed(key, error, told)
    } finally {
      limit.end()
      metrics.gauge('controller_runtime_active_workers', labels, --active)
    }
    metrics.count('controller_runtime_reconcile_total', { ...labels, result })
    metrics.time('controller_runtime_reconcile_time_seconds', labels, performance.now() - began)
  }

  function failed(key: string, error: unknown, log: Log) {
    queue.retry(key)
    metrics.count('controller_runtime_reconcile_errors_total', labels)
    if (isConflict(error))
      log.info(errorFields(error), 'the object changed meanwhile: trying again')
    else log.error(errorFields(error), 'reconcile failed')
  }

  function follow<T extends KubeObject>({
    informer,
    keys = (object) => [keyOf(object)],
    when,
    gather = 0,
  }: Watch<T>) {
    return informer.subscribe((change) => {
      if (when && !when(change)) return
      const priority = change.type === 'resync' ? 'low' : 'normal'
      // An object that no longer leads to a key still concerns what it led to before.
      const before = change.type === 'updated' ? keys(change.before) : []
      for (const key of new Set([...before, ...keys(change.object)])) {
        queue.add(key, { priority, after: gather })
      }
    })
  }

  return {
    name,
    queue,
    async run(term) {
      const subscriptions = watches.map(follow)
      await queue.run(concurrency, (key) => work(key, term), term.stop)
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
