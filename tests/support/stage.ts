import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Peer } from '../../services/_kit/peer.ts'
import type { Service } from '../../services/_kit/service.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'
import { checkResponse } from './check-response.ts'
import { newDatabase } from './databases.ts'
import { startProcess } from './runtimes.ts'

export const key = 'a-key-for-tests-only'

/** Vitest project: in this process on either database, or in a process of a runtime. */
export type TestProject = 'pglite' | 'postgres' | 'deno' | 'workerd'
export const testProject = (process.env.TEST_PROJECT ?? 'pglite') as TestProject

export interface Call {
  body?: unknown
  /** Raw body, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string | undefined>
}

export interface TestResponse {
  status: number
  headers: Headers
  code: unknown
  message: string
  data: any
  text: string
}

export interface Options {
  env?: Record<string, string>
  peers?: Record<string, Peer>
  /** Default headers of every call. */
  headers?: Record<string, string>
}

/** Starts a service on a new database and calls it like a client. */
export async function stage(service: Service, options: Options = {}) {
  const database = await newDatabase(testProject === 'pglite' ? 'pglite' : 'postgres')
  const env = { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...options.env }
  const peers = options.peers ?? {}
  const running =
    testProject === 'deno' || testProject === 'workerd'
      ? await startProcess(testProject, service, { ...env, DATABASE_URL: database.url }, peers)
      : startInProcess(service, database.driver, env, peers)
  const sql = makeSql(database.driver)

  async function call(
    method: string,
    path: string,
    { body, raw, headers }: Call = {},
  ): Promise<TestResponse> {
    const sentHeaders = Object.entries({
      'x-internal-api-key': key,
      'x-organization-id': 'acme',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
      ...headers,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const response = await running.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: sentHeaders,
        body: (raw as string | undefined) ?? (body === undefined ? null : JSON.stringify(body)),
      }),
    )
    const text = await response.text()
    checkResponse(service, method, path, response, text)
    const envelope = response.headers.get('content-type')?.startsWith('application/json')
      ? JSON.parse(text)
      : {}
    return { ...envelope, status: response.status, headers: response.headers, text }
  }

  return {
    call,
    sql,
    fetch: running.fetch,
    tick: running.tick,
    async close() {
      await running.close()
      await database.drop()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof stage>>

function startInProcess(
  service: Service,
  database: Parameters<typeof makeSql>[0],
  env: Record<string, string>,
  peers: Record<string, Peer>,
) {
  const started = service.start({
    env,
    database,
    peers: (name) => peers[name] ?? (() => Promise.reject(new Error(`no ${name} here`))),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0.0.0-test',
  })
  return { fetch: started.fetch, tick: started.tick, close: async () => {} }
}
