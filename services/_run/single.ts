import { existsSync } from 'node:fs'
import { ConfigError, parseConfig } from '../_kit/config.ts'
import type { Host } from '../_kit/context.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import type { Peers } from '../_kit/peer.ts'
import type { Service } from '../_kit/service.ts'
import { migrate } from '../_kit/sql/migrate.ts'
import { HostConfig } from './config.ts'
import { fail, onStop, openDatabase, version } from './host.ts'
import { keysFromDirectory } from './keys.ts'
import { makeLog } from './log.ts'
import { startLoop } from './loop.ts'
import { waitForSchema } from './wait-for-schema.ts'

/** Starts one service in one process, as in a cluster. The runtime provides the listener and the HTTP client. */
export async function startService(
  folder: string | undefined,
  runtime: Host['runtime'],
  openPeers: (env: NodeJS.ProcessEnv) => Peers,
) {
  const service = await find(folder)
  const config = parseConfig(HostConfig, process.env)
  const log = makeLog(service.name, config)
  const database = openDatabase(config)
  if (config.MIGRATE) await migrate(database, service.folder, service.schema)
  else await waitForSchema(database, service, log)
  const directory = config.INTERNAL_API_KEY_DIR
    ? keysFromDirectory(config.INTERNAL_API_KEY_DIR)
    : undefined
  const started = service.start({
    env: process.env,
    database,
    peers: openPeers(process.env),
    log,
    metrics: makeMetrics(),
    runtime,
    version,
    ...(directory && { keys: directory.keys }),
  })
  await started.beforeServe()

  /** Runs background work until a signal; `drain` waits for running requests. */
  function serveUntilSignal(port: number, drain: (graceMs: number) => Promise<unknown>) {
    const stopLoop = config.BACKGROUND ? startLoop(started, log) : undefined
    onStop(async (workMs) => {
      log.info({}, 'stopping')
      await Promise.all([drain(workMs), stopLoop?.(workMs)])
      directory?.stop()
      await database.end()
    }, config.SHUTDOWN_GRACE_MS)
    log.info({ port }, 'listening')
    started.afterListen().catch(fail)
  }

  return { fetch: started.fetch, config, log, serveUntilSignal }
}

async function find(folder: string | undefined): Promise<Service> {
  const file = new URL(`../${folder}/service.ts`, import.meta.url)
  if (!folder || !/^[a-z-]+$/.test(folder) || !existsSync(file)) {
    throw new ConfigError('Missing argument: the service to start (memory, platform, …).')
  }
  const { default: service }: { default: Service } = await import(file.href)
  return service
}
