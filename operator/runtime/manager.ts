import { hostname } from 'node:os'
import type { Log } from '../../services/_kit/log.ts'
import { errorFields } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import type { Client } from './client.ts'
import { type Controller, type ControllerOptions, makeController } from './controller.ts'
import { makeRecorder, type Recorder } from './events.ts'
import { serveHealth } from './health.ts'
import type { Informer, InformerOptions, InformerTiming } from './informer.ts'
import { makeInformers } from './informers.ts'
import { type LeaderTask, type LeaseOptions, makeElection } from './lease.ts'
import type { KubeObject, Resource } from './objects.ts'
import { DeadlineError, sleep, withDeadline } from './time.ts'

export type ManagerOptions = {
  client: Client
  log: Log
  metrics: Metrics
  /** Watched namespaces. Empty means all. */
  namespaces: string[]
  /** Default: no leader election. */
  lease?: LeaseOptions | undefined
  /** Port of /metrics, /healthz and /readyz. Default: no server. */
  port?: number | undefined
  /** Milliseconds that running reconciles have to finish after a stop. */
  drainMs?: number | undefined
  /** Milliseconds without data from the API server after which the process is not ready. */
  staleAfterMs?: number | undefined
  timing?: Partial<InformerTiming> | undefined
}

export interface Manager {
  /** Returns the shared informer of a selection. */
  informer<T extends KubeObject>(resource: Resource, options?: InformerOptions<T>): Informer<T>
  controller(options: ControllerOptions): void
  readonly recorder: Recorder
  /** Runs until the signal, then finishes reconciles, releases the lease and resolves. */
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
    drainMs = 20_000,
    staleAfterMs = 180_000,
  } = options
  const informers = makeInformers({
    client,
    log,
    metrics,
    namespaces,
    ...(options.timing ? { timing: options.timing } : {}),
  })
  const controllers: Controller[] = []
  const instance = lease?.identity ?? hostname()
  const recorder = makeRecorder({ client, log, instance })

  /** A standby keeps its informers synced and starts immediately. */
  async function waitForSync(signal: AbortSignal) {
    while (!signal.aborted && informers.staleInformers(Infinity).length) await sleep(20, signal)
  }

  const leadUntil =
    (stop: AbortSignal): LeaderTask =>
    async ({ lost, remaining }) => {
      const ended = AbortSignal.any([stop, lost])
      await waitForSync(ended)
      if (ended.aborted) return
      const deadline = withDeadline(Infinity, lost)
      let timer: NodeJS.Timeout | undefined
      const startDrainTimer = () => {
        timer = setTimeout(
          () => deadline.abort(new DeadlineError('reconcile aborted: the operator is stopping')),
          drainMs,
        )
      }
      stop.addEventListener('abort', startDrainTimer)
      const term = { stop: ended, lost: deadline.signal, remaining }
      await Promise.all(controllers.map((controller) => controller.run(term)))
      stop.removeEventListener('abort', startDrainTimer)
      clearTimeout(timer)
      deadline.end()
    }

  function renderMetrics() {
    informers.measure()
    for (const { queue } of controllers) queue.measure()
    metrics.gauge('process_resident_memory_bytes', {}, process.memoryUsage.rss())
    return metrics.text()
  }

  const staleMessages = () =>
    informers.staleInformers(staleAfterMs).map((plural) => `${plural} cache is stale`)

  return {
    recorder,
    informer: informers.informerFor,
    controller: (controllerOptions) =>
      void controllers.push(
        makeController(controllerOptions, {
          client,
          log,
          metrics,
          isSynced: informers.isSynced,
        }),
      ),
    async run(stop) {
      const logUnhandled = (error: unknown) => log.error(errorFields(error), 'unhandled rejection')
      process.on('unhandledRejection', logUnhandled)
      const server =
        port === undefined
          ? undefined
          : await serveHealth(port, { problems: staleMessages, metrics: renderMetrics })
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
      process.off('unhandledRejection', logUnhandled)
    },
  }
}
