import { Hono } from 'hono'
import type * as z from 'zod'
import { actuator } from './actuator.ts'
import type { Circuit } from './circuit.ts'
import { makeCircuit } from './circuit.ts'
import { ConfigError, type EnvironmentVariables, KitConfig, parseConfig } from './config.ts'
import { apiDocs } from './docs.ts'
import type { Endpoint, Env } from './endpoint.ts'
import { Fault } from './fault.ts'
import { deleteExpiredKeys } from './idempotency.ts'
import { deleteFinishedJobs, type JobHandler, runJobs } from './jobs.ts'
import { type Keys, splitKeys, weakness } from './keys.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type Handler, observe } from './observe.ts'
import { type Client, makeClient, type Peers } from './peer.ts'
import { withQueryMetrics } from './sql/query-metrics.ts'
import { type Driver, makeSql, type Sql } from './sql/sql.ts'

/** What a runtime gives a service to start with. */
export interface Host {
  env: EnvironmentVariables
  database: Driver
  peers: Peers
  log: Log
  metrics: Metrics
  runtime: 'node' | 'deno' | 'workerd'
  version: string
  /** Keys that change while the service runs; without it they come from the environment. */
  keys?: () => Keys
  /** Circuits that outlive one start, where a start lasts one request. */
  circuits?: Map<string, Circuit>
}

/** What the kit itself needs of a started service. */
export interface Kit {
  service: string
  schema: string
  config: KitConfig
  keys: () => Keys
  log: Log
  metrics: Metrics
  runtime: Host['runtime']
  version: string
  background: Background
}

interface Background {
  /** Runs what is due; says how many jobs that were. */
  tick(): Promise<number>
  /** Tidies up; now and then. */
  sweep(): Promise<void>
}

export type ServiceContext<Deps> = Deps & { sql: Sql; kit: Kit }

/** A check of something the service can do without: a throw makes health DEGRADED. */
export type Checks<Deps> = (deps: ServiceContext<Deps>) => Record<string, () => Promise<unknown>>

export interface Definition<Config extends z.ZodObject, Deps extends object> {
  /** Its name on the network: `memory-service`. */
  name: string
  /** Its folder under services/ and its schema in the database. */
  folder: string
  schema: string
  config: Config
  open(config: z.output<Config>, host: OpenContext): Deps
  endpoints: Endpoint<Deps>[]
  /** Further paths at which a path of the service answers too. */
  pathAliases?(path: string): string[]
  healthChecks?: Checks<Deps>
  /** By kind; a function where it depends on what was opened. */
  jobs?: Jobs<Deps> | ((deps: Deps) => Jobs<Deps>)
  /** What must be there before the service may answer; a throw stops the start. */
  beforeServe?(deps: Deps): Promise<unknown>
  /** Done once it listens, and its peers may; says what it did. A throw ends the process in production. */
  afterListen?(deps: ServiceContext<Deps>): Promise<string | undefined>
  /** Background work beside the jobs; says how much there was. */
  tick?(deps: ServiceContext<Deps>): Promise<number>
  /** Tidies up what the service itself leaves behind. */
  sweep?(deps: ServiceContext<Deps>): Promise<unknown>
}

/** What a service may ask of its host while it opens. */
export interface OpenContext {
  client(service: string): Client
  /** The circuit to something else that may be dead; it outlives the start where that lasts one request. */
  circuit(name: string, make?: () => Circuit): Circuit
  runtime: Host['runtime']
}

/** Puts a handler where requests find it. */
export type Mount<Deps extends object> = (
  method: string,
  path: string,
  handle: Handler<Deps>,
) => void

type Jobs<Deps> = Record<string, JobHandler<ServiceContext<Deps>>>

/** A service is this value and nothing more; `_run` knows how to start it on each runtime. */
export type Service = ReturnType<typeof defineService>
export type Started = ReturnType<Service['start']>

export function defineService<Config extends z.ZodObject, Deps extends object>(
  definition: Definition<Config, Deps>,
) {
  const { name, folder, schema, endpoints, jobs = {} } = definition
  const app = build(definition)

  function start(host: Host) {
    const config = parseConfig(definition.config.extend(KitConfig.shape), host.env)
    const fixedKeys = keysFrom(config as unknown as KitConfig)
    const keys = host.keys ?? (() => fixedKeys)
    rejectWeakKeys(config as unknown as KitConfig, keys())
    const { log, metrics, runtime, version, circuits = new Map() } = host
    const circuit = (name: string, make = () => makeCircuit()) => {
      const kept = circuits.get(name) ?? make()
      circuits.set(name, kept)
      return kept
    }
    const client = (service: string) =>
      makeClient(service, host.peers(service), keys, metrics, circuit(service))
    const background: Background = {
      tick: async () => ((await definition.tick?.(context)) ?? 0) + (await runJobs(worker)),
      sweep: async () => {
        await deleteExpiredKeys(sql, schema)
        await deleteFinishedJobs(worker)
        await definition.sweep?.(context)
      },
    }
    const kit: Kit = {
      service: name,
      schema,
      config: config as unknown as KitConfig,
      keys,
      log,
      metrics,
      runtime,
      version,
      background,
    }
    const sql = makeSql(withQueryMetrics(host.database, metrics))
    const deps = definition.open(config as z.output<Config>, { client, circuit, runtime })
    const context: ServiceContext<Deps> = { ...deps, sql, kit }
    const handlers = typeof jobs === 'function' ? jobs(deps) : jobs
    const worker = { sql, schema, deps: context, handlers, log, metrics }
    return {
      fetch: (request: Request) => app.fetch(request, context),
      beforeServe: async () => definition.beforeServe?.(deps),
      afterListen: async () => definition.afterListen?.(context),
      ...background,
    }
  }

  return {
    name,
    folder,
    schema,
    config: definition.config,
    endpoints: endpoints as Endpoint[],
    start,
  }
}

function build<Config extends z.ZodObject, Deps extends object>(
  definition: Definition<Config, Deps>,
) {
  const { name, endpoints } = definition
  const app = new Hono<Env<Deps>>()
  // Whatever is mounted is observed by its own handler: middleware would cost each request more.
  const mount: Mount<Deps> = (method, path, handle) => {
    for (const each of [path, ...(definition.pathAliases?.(path) ?? [])]) {
      app.on(method, each, (c) => observe(c, path, handle))
    }
  }
  actuator(mount, definition.healthChecks)
  apiDocs(mount, name, endpoints)
  for (const { method, path, respond } of endpoints) mount(method.toUpperCase(), path, respond)
  handleUnmatched(app)
  return app
}

/** Every path we know answers every method: those it does not take with 405 and the ones it does. */
function handleUnmatched<Deps extends object>(app: Hono<Env<Deps>>) {
  const methods = [...new Set(app.routes.map(({ method }) => method))].sort()
  app.notFound((c) => {
    const routes = methods.flatMap((method) =>
      app.router.match(method, c.req.path)[0].map(([[, route]]) => route),
    )
    return observe(c, routes[0]?.path ?? '/*', () => {
      const { method, path } = c.req
      if (routes.length === 0) throw new Fault('NOT_FOUND', `There is no ${method} ${path} here.`)
      const known = routes.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : method))
      const allow = [...new Set(known)].sort().join(', ')
      throw new Fault('METHOD_NOT_ALLOWED', `${method} is not possible here; use ${allow}.`, {
        headers: { Allow: allow },
      })
    })
  })
}

const keysFrom = (config: KitConfig): Keys => ({
  current: config.INTERNAL_API_KEY,
  accepted: splitKeys(config.INTERNAL_API_KEY_ACCEPTED, /,/),
})

function rejectWeakKeys(config: KitConfig, keys: Keys) {
  if (config.ENVIRONMENT !== 'production') return
  for (const key of [keys.current, ...keys.accepted]) {
    const fault = weakness(key)
    if (fault)
      throw new ConfigError(`In production the internal key must be a secret; one ${fault}.`)
  }
}
