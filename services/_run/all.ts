import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError, parseConfig } from '../_kit/config.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import { addressVariable, httpPeers, type Peer } from '../_kit/peer.ts'
import type { Service, Started } from '../_kit/service.ts'
import { migrate } from '../_kit/sql/migrate.ts'
import { HostConfig } from './config.ts'
import { type Data, openData } from './data.ts'
import { fail, onStop, version } from './host.ts'
import { keysFromDirectory } from './keys.ts'
import { type Listening, listen } from './listen.ts'
import { makeLog } from './log.ts'
import { startLoop } from './loop.ts'
import { servicePort, services, suite } from './services.ts'

/** Runs every service in one process. A peer is a function call; everything else is as in a cluster. */
async function main() {
  const startedAt = performance.now()
  const config = parseConfig(HostConfig, process.env)
  const chosen = choose()
  const data = await openData(config)
  const log = makeLog('legal-suite', config)
  const directory = config.INTERNAL_API_KEY_DIR
    ? keysFromDirectory(config.INTERNAL_API_KEY_DIR)
    : undefined
  const env = { ...process.env, ...defaults(config, data, chosen) }

  const running = new Map<string, Peer>()
  const peers =
    (name: string): Peer =>
    async (request) => {
      const elsewhere = env[addressVariable(name) as keyof typeof env]
      const peer = running.get(name) ?? (elsewhere ? httpPeers(env)(name) : undefined)
      if (!peer) throw new Error(`${name} is not running in this process`)
      return peer(request)
    }
  const open: Listening[] = []
  const loops: ((graceMs: number) => Promise<void>)[] = []
  const up: Started[] = []
  try {
    for (const service of chosen) {
      await migrate(data.driver, service.folder, service.schema)
      const serviceLog = makeLog(service.name, config)
      const started: Started = service.start({
        env,
        database: data.driver,
        peers,
        log: serviceLog,
        metrics: makeMetrics(),
        runtime: 'node',
        version,
        ...(directory && { keys: directory.keys }),
      })
      await started.beforeServe()
      running.set(service.name, started.fetch)
      const port = servicePort(service, config.PORT)
      open.push(await listen(started.fetch, port, config.HOST, serviceLog))
      loops.push(startLoop(started, serviceLog))
      up.push(started)
    }
  } catch (thrown) {
    await data.close()
    throw thrown
  }
  onStop(async (workMs) => {
    log.info({}, 'stopping')
    await Promise.all([
      ...open.map((server) => server.close(workMs)),
      ...loops.map((stop) => stop(workMs)),
    ])
    directory?.stop()
    await data.close()
  }, config.SHUTDOWN_GRACE_MS)
  const seeded: string[] = []
  for (const { afterListen: settle } of up) seeded.push((await settle()) ?? '')
  announce(chosen, config, data, seeded.join(''), performance.now() - startedAt)
}

/** Default environment of the services in one process. */
const defaults = ({ DATA_DIR, HOST, PORT }: HostConfig, data: Data, chosen: Service[]) => ({
  INTERNAL_API_KEY: process.env.INTERNAL_API_KEY || data.key,
  FILES_DIR: process.env.FILES_DIR || join(DATA_DIR, 'files'),
  FILES_PUBLIC_URL:
    process.env.FILES_PUBLIC_URL || `http://${HOST}:${servicePort({ folder: 'files' }, PORT)}`,
  SEED_RESOURCES_ON_STARTUP:
    process.env.SEED_RESOURCES_ON_STARTUP || String(chosen.length === suite.length),
})

/** Parses `--only memory,platform`. */
function choose(): Service[] {
  const { values } = parseArgs({ options: { only: { type: 'string' } }, strict: true })
  if (values.only === undefined) return suite
  const selected = values.only.split(',').map((name) => name.trim())
  const unknown = selected.filter((name) => !services.some(({ folder }) => folder === name))
  if (unknown.length > 0) {
    const available = services.map(({ folder }) => folder).join(', ')
    throw new ConfigError(`--only: unknown service ${unknown.join(', ')}. Services: ${available}.`)
  }
  // The gateway always runs: it is the way to the services that were chosen.
  return suite.filter(({ folder }) => folder === 'gateway' || selected.includes(folder))
}

function announce(chosen: Service[], config: HostConfig, data: Data, seeded: string, ms: number) {
  const at = `http://${config.HOST}`
  const lines = [
    `legal-suite ${version} is up after ${(ms / 1000).toFixed(1)} s`,
    '',
    ...chosen.map((each) => `  ${each.name.padEnd(24)}${at}:${servicePort(each, config.PORT)}`),
    '',
    `  data: ${data.where}`,
    ...(seeded ? [`  seeds: ${seeded}`] : []),
    `  internal key: ${data.keyLocation}`,
    '',
  ]
  console.log(lines.join('\n'))
}

main().catch(fail)
