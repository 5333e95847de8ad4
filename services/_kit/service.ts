import { Hono } from 'hono'
import type * as z from 'zod'
import { actuator } from './actuator.ts'
import { makeCircuit } from './circuit.ts'
import { ConfigError, KitConfig, parseConfig } from './config.ts'
import type {
  Background,
  Checks,
  Env,
  Handler,
  Host,
  Kit,
  Mount,
  OpenContext,
  ServiceContext,
} from './context.ts'
import { apiDocs, type MergeDescriptions } from './docs.ts'
import type { Endpoint } from './endpoint.ts'
import { Fault } from './fault.ts'
import { deleteExpiredKeys } from './idempotency.ts'
import { makeJobPool } from './job-pool.ts'
import { deleteFinishedJobs, type JobHandler, runJobs } from './jobs.ts'
import { type Keys, splitKeys, weakness } from './keys.ts'
import { observe } from './observe.ts'
import { makeClient } from './peer.ts'
import { withQueryMetrics } from './sql/query-metrics.ts'
import { makeSql } from './sql/sql.ts'

export interface Definition<Config extends z.ZodObject, Deps extends object> {
  /** Network name: `memory-service`. */
  name: string
  /** Folder under services/. */
  folder: string
  schema: string
  config: Config
  open(config: z.output<Config>, host: OpenContext): Deps
  endpoints: Endpoint<Deps>[]
  /** Publishes the merged descriptions of several services in place of its own. */
  mergeDescriptions?: MergeDescriptions<Deps>
  /** Wraps every handler, the fallback included. */
  wrap?(handle: Handler<Deps>): Handler<Deps>
  /** Handles requests that match no endpoint. Default: 404, or 405 where another method exists. */
  fallback?: Handler<Deps>
  /** False for a service that faces the network: it has no internal paths of its own. */
  internalPaths?: boolean
  /** Additional paths for a path of the service. */
  pathAliases?(path: string): string[]
  healthChecks?: Checks<Deps>
  /** Job handlers by kind; a function if they depend on `deps`. */
  jobs?: Jobs<Deps> | ((deps: Deps) => Jobs<Deps>)
  /** Runs before the service accepts requests. An exception stops the start. */
  beforeServe?(deps: Deps): Promise<unknown>
  /**
   * Startup work that needs other services. Runs once after the service listens; readiness is DOWN until
   * then. Returns a summary. In production an exception terminates the process.
   */
  afterListen?(deps: ServiceContext<Deps>): Promise<string | undefined>
  /** Background work beside the jobs; returns the number of items processed. */
  tick?(deps: ServiceContext<Deps>): Promise<number>
  /** Deletes expired data of the service. */
  sweep?(deps: ServiceContext<Deps>): Promise<unknown>
}

type Jobs<Deps> = Record<string, JobHandler<ServiceContext<Deps>>>

/** A service definition; `_run` starts it on each runtime. */
export type Service = ReturnType<typeof defineService>
export type Started = ReturnType<Service['start']>

export function defineService<Config extends z.ZodObject, Deps extends object>(
  definition: Definition<Config, Deps>,
) {
  const { name, folder, schema, endpoints, jobs = {} } = definition
  const app = build(definition)
  const facesNetwork = definition.internalPaths === false

  function start(host: Host) {
    const config = parseConfig(definition.config.extend(KitConfig.shape), host.env)
    const fixedKeys = keysFrom(config as unknown as KitConfig)
    const keys = host.keys ?? (() => fixedKeys)
    rejectWeakKeys(config as unknown as KitConfig, keys())
    const { log, metrics, runtime, version, circuits = new Map() } = host
    const circuit = (name: string, make = () => makeCircuit()) => {
      const existing = circuits.get(name) ?? make()
      circuits.set(name, existing)
      return existing
    }
    const client = (service: string) =>
      makeClient(service, host.peers(service), keys, metrics, circuit(service))
    let isReady = true
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
      internalPaths: definition.internalPaths ?? true,
      background,
      isReady: () => isReady,
    }
    const sql = makeSql(withQueryMetrics(host.database, metrics))
    const deps = definition.open(config as z.output<Config>, {
      client,
      peer: host.peers,
      circuit,
      runtime,
    })
    const context: ServiceContext<Deps> = { ...deps, sql, kit }
    const sendingContext: ServiceContext<Deps> = { ...context, sendsText: true }
    const handlers = typeof jobs === 'function' ? jobs(deps) : jobs
    const worker = { sql, schema, deps: context, handlers, log, metrics }
    return {
      fetch: (request: Request, remoteAddress?: string, sendsText = false) => {
        const env = sendsText ? sendingContext : context
        return app.fetch(
          request,
          facesNetwork && remoteAddress !== undefined ? { ...env, remoteAddress } : env,
        )
      },
      beforeServe: async () => {
        await definition.beforeServe?.(deps)
        // A host that never calls `afterListen` does not call this either.
        isReady = definition.afterListen === undefined
      },
      afterListen: async () => {
        const summary = await definition.afterListen?.(context)
        isReady = true
        return summary
      },
      ...background,
      serviceTick: () => definition.tick?.(context) ?? Promise.resolve(0),
      jobs: makeJobPool(worker),
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
  const wrap = definition.wrap ?? ((handle: Handler<Deps>) => handle)
  // Each handler is wrapped by `observe`; middleware would cost more per request.
  const mount: Mount<Deps> = (method, path, handle) => {
    const wrapped = wrap(handle)
    for (const each of [path, ...(definition.pathAliases?.(path) ?? [])]) {
      app.on(method, each, (c) => observe(c, path, wrapped))
    }
  }
  if (definition.internalPaths !== false) actuator(mount, definition.healthChecks)
  apiDocs(mount, name, endpoints, definition.mergeDescriptions)
  for (const { method, path, respond } of endpoints) mount(method.toUpperCase(), path, respond)
  handleUnmatched(app, wrap, definition.fallback)
  return app
}

/** Responds 404 to unknown paths, and 405 with `Allow` to known paths with another method. */
function handleUnmatched<Deps extends object>(
  app: Hono<Env<Deps>>,
  wrap: (handle: Handler<Deps>) => Handler<Deps>,
  fallback?: Handler<Deps>,
) {
  const forward = fallback && wrap(fallback)
  const methods = [...new Set(app.routes.map(({ method }) => method))].sort()
  const anyMethod = new Hono()
  for (const path of new Set(app.routes.map(({ path }) => path)))
    anyMethod.all(path, (c) => c.body(null))
  const isKnown = (path: string) => anyMethod.router.match('ALL', path)[0].length > 0
  app.notFound((c) => {
    // Most requests of a gateway are forwarded.
    if (forward && !isKnown(c.req.path)) return observe(c, '/*', forward)
    const routes = methods.flatMap((method) =>
      app.router.match(method, c.req.path)[0].map(([[, route]]) => route),
    )
    const refuse = () => {
      const { method, path } = c.req
      if (routes.length === 0) throw new Fault('NOT_FOUND', `No route for ${method} ${path}.`)
      const supported = routes.flatMap(({ method }) =>
        method === 'GET' ? [method, 'HEAD'] : method,
      )
      const allow = [...new Set(supported)].sort().join(', ')
      throw new Fault(
        'METHOD_NOT_ALLOWED',
        `Method ${method} is not allowed. Allowed methods: ${allow}.`,
        {
          headers: { Allow: allow },
        },
      )
    }
    return observe(c, routes[0]?.path ?? '/*', wrap(refuse))
  })
}

const keysFrom = (config: KitConfig): Keys => ({
  current: config.INTERNAL_API_KEY,
  accepted: splitKeys(config.INTERNAL_API_KEY_ACCEPTED, /,/),
})

function rejectWeakKeys(config: KitConfig, keys: Keys) {
  if (config.ENVIRONMENT !== 'production') return
  for (const key of [keys.current, ...keys.accepted]) {
    const reason = weakness(key)
    if (reason)
      throw new ConfigError(`INTERNAL_API_KEY: a key ${reason}. Production requires a secret key.`)
  }
}
