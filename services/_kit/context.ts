import type { Context } from 'hono'
import type { Circuit } from './circuit.ts'
import type { EnvironmentVariables, KitConfig } from './config.ts'
import type { Caller } from './identity.ts'
import type { Keys } from './keys.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Client, Peer, Peers } from './peer.ts'
import type { Driver, Sql } from './sql/sql.ts'

/** The environment that a runtime provides to a service. */
export interface Host {
  env: EnvironmentVariables
  database: Driver
  peers: Peers
  log: Log
  metrics: Metrics
  runtime: 'node' | 'deno' | 'workerd'
  version: string
  /** Keys that may change while the service runs. Default: the keys of the environment. */
  keys?: () => Keys
  /** Circuit breakers that outlive a start, for runtimes where a start lasts one request. */
  circuits?: Map<string, Circuit>
}

/** State of a started service that the kit needs. */
export interface Kit {
  service: string
  schema: string
  config: KitConfig
  keys: () => Keys
  log: Log
  metrics: Metrics
  runtime: Host['runtime']
  version: string
  /** False for a service that faces the network and has no internal paths. */
  internalPaths: boolean
  background: Background
  /** False until the startup work of the service is done. */
  isReady(): boolean
}

export interface Background {
  /** Runs due background work and returns the number of jobs. */
  tick(): Promise<number>
  /** Deletes expired data; called periodically. */
  sweep(): Promise<void>
}

export type ServiceContext<Deps> = Deps & {
  sql: Sql
  kit: Kit
  /** Address of the connection, for a service that faces the network. */
  remoteAddress?: string
  /** True if the host sends the text of a response (`knownText`), so that the response needs no body. */
  sendsText?: boolean
}

/** Health checks of optional dependencies. A failing check makes health DEGRADED. */
export type Checks<Deps> = (deps: ServiceContext<Deps>) => Record<string, () => Promise<unknown>>

/** Functions of the host for opening a service. */
export interface OpenContext {
  client(service: string): Client
  /** Returns the transport to another service, for requests that are forwarded as they are. */
  peer(service: string): Peer
  /** Returns the named circuit breaker; it outlives a start that lasts one request. */
  circuit(name: string, make?: () => Circuit): Circuit
  runtime: Host['runtime']
}

/** Registers a handler. */
export type Mount<Deps extends object> = (
  method: string,
  path: string,
  handle: Handler<Deps>,
) => void

export type Handler<Deps extends object> = (c: Context<Env<Deps>>) => Response | Promise<Response>

/** Hono environment: `c.env` is the context of the service, `c.var` belongs to the request. */
export type Env<Deps> = {
  Bindings: ServiceContext<Deps>
  Variables: {
    requestId: string
    traceparent: string
    caller: Caller
    /** Additional fields of the log line of the request. */
    logFields?: Record<string, string>
  }
}
