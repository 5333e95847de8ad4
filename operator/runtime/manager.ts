import { hostname } from 'node:os'
import type { Log } from '../../services/_kit/log.ts'
import { errorFields } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import type { Client } from './client.ts'
import { type Controller, type ControllerOptions, makeController } from './controller.ts'
import { makeRecorder, type Recorder } from './events.ts'
import { serveHealth } from './health.ts'
import type { Informer, InformerOptions, Pace } from './informer.ts'
import { makeInformers } from './informers.ts'
import { type Lead, type LeaseOptions, makeElection } from './lease.ts'
import type { KubeObject, Resource } from './objects.ts'
import { DeadlineError, sleep, within } from './time.ts'

export type ManagerOptions = {
  client: Client
  log: Log
  metrics: Metrics
  /** Which namespaces are looked at; all of them when empty. */
  namespaces: string[]
  /** Leads always when left out. */
  lease?: LeaseOptions | undefined
  /** Of /metrics, /healthz and /readyz; none when left out. */
  port?: number | undefined
  /** Milliseconds that running reconciles have to end after the stop. */
  drain?: number | undefined
  /** Milliseconds without a word from the API server after which it is not ready. */
  blindAfter?: number | undefined
  pace?: Partial<Pace> | undefined
}

export interface Manager {
  /** Shared: asked twice for the same selection, it gives the same one. */
  informer<T extends KubeObject>(resource: Resource, options?: InformerOptions<T>): Informer<T>
  controller(options: ControllerOptions): void
  readonly recorder: Recorder
  /** Runs until the signal is aborted, then lets reconciles end, gives the lease back and resolves. */
  run(signal: AbortSignal): Promise<void>
}

export function makeManager(options: ManagerOptions): Manager {
  const {
    client,
    log,
    metrics,
    namespaces,
    lease,
    port,
    drain = 20_000,
    blindAfter = 180_000,
  } = options
  const informers = makeInformers({
    client,
    log,
    metrics,
    namespaces,
    ...(options.pace ? { pace: options.pace } : {}),
  })
  const controllers: Controller[] = []
  const instance = lease?.identity ?? hostname()
  const recorder = makeRecorder({ client, log, instance })

  /** One who stands by has full informers already, and begins at once. */
  async function synced(signal: AbortSignal) {
    while (!signal.aborted && informers.blind(Infinity).length) await sleep(20, signal)
  }

  const leadUntil =
    (stop: AbortSignal): Lead =>
    async ({ lost, remaining }) => {
      const over = AbortSignal.any([stop, lost])
      await synced(over)
      if (over.aborted) return
      const limit = within(Infinity, lost)
      let timer: NodeJS.Timeout | undefined
      const hurry = () => {
        timer = setTimeout(() => limit.abort(new DeadlineError('stopped before its end')), drain)
      }
      stop.addEventListener('abort', hurry)
      const term = { stop: over, lost: limit.signal, remaining }
      await Promise.all(controllers.map((controller) => controller.run(term)))
      stop.removeEventListener('abort', hurry)
      clearTimeout(timer)
      limit.end()
    }

  function text() {
    informers.measure()
    for (const { queue } of controllers) queue.measure()
    metrics.gauge('process_resident_memory_bytes', {}, process.memoryUsage.rss())
    return metrics.text()
  }

  const troubles = () => informers.blind(blindAfter).map((plural) => `${plural} are not up to date`)

  return {
    recorder,
    informer: informers.of,
    controller: (given) => void controllers.push(makeController(given, { client, log, metrics })),
    async run(stop) {
      const survive = (error: unknown) => log.error(errorFields(error), 'a promise failed unseen')
      process.on('unhandledRejection', survive)
      const server =
        port === undefined ? undefined : await serveHealth(port, { troubles, metrics: text })
      const ended = new AbortController()
      const watching = informers.run(ended.signal)
      const lead = leadUntil(stop)
      if (lease) await makeElection(lease, { client, log, metrics }).run(stop, lead)
      else await lead({ lost: ended.signal, remaining: () => Infinity })
      const sent = new AbortController()
      await Promise.race([recorder.flush().then(() => sent.abort()), sleep(2_000, sent.signal)])
      ended.abort()
      await watching
      server?.close()
      server?.closeAllConnections()
      process.off('unhandledRejection', survive)
    },
  }
}
