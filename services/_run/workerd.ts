import type { Circuit } from '../_kit/circuit.ts'
import { ConfigError, type EnvironmentVariables, parseConfig } from '../_kit/config.ts'
import { toFault } from '../_kit/fault.ts'
import { errorFields } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import { httpPeers, type Peers } from '../_kit/peer.ts'
import type { Service } from '../_kit/service.ts'
import { neonDriver } from '../_kit/sql/neon.ts'
import { HostConfig } from './config.ts'
import { consoleLog } from './console-log.ts'

type Bindings = Record<string, unknown>
type Context = { waitUntil(promise: Promise<unknown>): void }

/**
 * Runs a service on workerd. A socket must not outlive the request that opened it, so the service starts
 * for each request and closes when the response body is sent. Metrics last as long as the isolate.
 */
export function worker(service: Service, version: string) {
  const metrics = makeMetrics()
  const circuits = new Map<string, Circuit>()

  function start(bindings: Bindings) {
    const env = textsIn(bindings)
    const config = parseConfig(HostConfig, env)
    if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is required.')
    const database = neonDriver(config.DATABASE_URL, 1, config.NEON_WS_PROXY)
    const { fetch } = service.start({
      env,
      database,
      peers: peersIn(bindings, env),
      log: consoleLog(service.name, config.LOG_LEVEL),
      metrics,
      circuits,
      runtime: 'workerd',
      version,
    })
    return { fetch, end: () => database.end() }
  }

  return {
    async fetch(request: Request, bindings: Bindings, context: Context): Promise<Response> {
      try {
        const { fetch, end } = start(bindings)
        return whenSent(await fetch(request), context, end)
      } catch (thrown) {
        consoleLog(service.name).error(errorFields(thrown), 'not started')
        const fault = toFault(thrown)
        return Response.json(fault, { status: fault.status })
      }
    },
  }
}

function whenSent(response: Response, context: Context, end: () => Promise<void>): Response {
  if (!response.body) {
    context.waitUntil(end())
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  // A disconnected client is not an error; the database connection is closed anyway.
  const sent = response.body.pipeTo(writable).catch(() => {})
  context.waitUntil(sent.then(end))
  return new Response(readable, response)
}

const textsIn = (bindings: Bindings): EnvironmentVariables =>
  Object.fromEntries(
    Object.entries(bindings).filter(([, value]) => typeof value === 'string'),
  ) as Record<string, string>

/** Uses the binding of the service's name if there is one, else its address. */
const peersIn =
  (bindings: Bindings, env: EnvironmentVariables): Peers =>
  (service) => {
    const binding = bindings[service] as
      | { fetch?: (request: Request) => Promise<Response> }
      | undefined
    return binding?.fetch ? (request) => binding.fetch!(request) : httpPeers(env)(service)
  }
