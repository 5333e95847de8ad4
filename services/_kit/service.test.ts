import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import memory from '../memory/service.ts'
import type { Host } from './context.ts'
import type { Log } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { knownText } from './response-text.ts'
import { defineService } from './service.ts'

const key = 'a-key-that-is-long-enough'
const actuator = '/api/v1/internal/actuator'

let database: Database
beforeAll(async () => {
  database = await newDatabase('pglite')
})
afterAll(() => database.drop())

function start(more: Partial<Host> = {}, env: Record<string, string> = {}) {
  const lines: object[] = []
  const write = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log: Log = { info: write, warn: write, error: write }
  const { fetch } = memory.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
    database: database.driver,
    peers: () => () => Promise.reject(new Error('nobody')),
    log,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '1',
    ...more,
  })
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(
      new Request(`http://test${path}`, {
        method,
        headers: {
          'x-internal-api-key': key,
          'x-organization-id': 'acme',
          'content-type': 'application/json',
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { call, fetch, lines }
}

test('a host that sends texts gets the same text again for an Idempotency-Key', async () => {
  const { fetch } = start()
  const fact = { user_id: 1, scope: 'global', entity_key: 'k', category: 'summary', content: '甲' }
  const send = () =>
    fetch(
      new Request('http://test/api/v1/internal/memory/facts', {
        method: 'POST',
        headers: {
          'x-internal-api-key': key,
          'x-organization-id': 'texts',
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify(fact),
      }),
      undefined,
      true,
    )
  const first = await send()
  expect([first.status, first.body]).toEqual([201, null])
  expect(JSON.parse(knownText(first)!).data.content).toBe('甲')
  const again = await send()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await again.text()).toBe(knownText(first))
})

describe('in production', () => {
  const production = (env: Record<string, string>) => () =>
    start({}, { ENVIRONMENT: 'production', ...env })

  test('an empty, default or short key prevents the start in production', () => {
    expect(production({ INTERNAL_API_KEY: '' })).toThrow('is empty')
    expect(production({ INTERNAL_API_KEY: 'changeme' })).toThrow('is a well-known default')
    expect(production({ INTERNAL_API_KEY: 'short' })).toThrow('shorter')
    expect(production({ INTERNAL_API_KEY_ACCEPTED: 'changeme' })).toThrow('is a well-known default')
    expect(production({})).not.toThrow()
  })

  test('the API description is not published in production unless enabled', async () => {
    const hidden = start({}, { ENVIRONMENT: 'production' })
    expect((await hidden.call('GET', '/api/v1/v3/api-docs')).status).toBe(404)
    expect((await hidden.call('GET', '/api/v1/swagger-ui/index.html')).status).toBe(404)
    const shown = start({}, { ENVIRONMENT: 'production', AI_BOOT_OPENAPI_ENABLED: 'true' })
    expect((await shown.call('GET', '/api/v1/v3/api-docs')).status).toBe(200)
  })
})

describe('unavailable dependency', () => {
  const dead = {
    query: () =>
      Promise.reject(
        Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' }),
      ),
    transaction: () =>
      Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })),
    end: async () => {},
  }

  test('without the database health is DOWN, readiness 503, liveness UP and a request gets 503 without a host name', async () => {
    const { call } = start({ database: dead })
    const health = await call('GET', `${actuator}/health`)
    expect([health.status, JSON.parse(health.text).status]).toEqual([503, 'DOWN'])
    expect((await call('GET', `${actuator}/health/readiness`)).status).toBe(503)
    expect((await call('GET', `${actuator}/health/liveness`)).status).toBe(200)
    const read = await call(
      'GET',
      '/api/v1/internal/memory/facts/00000000-0000-7000-8000-000000000000',
    )
    expect([read.status, JSON.parse(read.text).code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
    expect(read.text).not.toContain('10.1.2.3')
  })

  test('without an optional dependency health is DEGRADED and the service is ready', async () => {
    const { call } = start({}, { RERANK_URL: 'http://127.0.0.1:9/rerank' })
    const health = await call('GET', `${actuator}/health`)
    expect([health.status, JSON.parse(health.text)]).toEqual([
      200,
      { status: 'DEGRADED', components: { db: { status: 'UP' }, rerank: { status: 'DOWN' } } },
    ])
    expect((await call('GET', `${actuator}/health/readiness`)).status).toBe(200)
  })
})

describe('the log', () => {
  test('a log line has request, trace and route, and never a key or user content', async () => {
    const { call, lines } = start()
    const fact = {
      user_id: 'u',
      scope: 'global',
      entity_key: 'k',
      category: 'summary',
      content: 'in strict confidence',
    }
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await call('POST', '/api/v1/internal/memory/facts', fact, {
      traceparent,
      'x-request-id': 'r-1',
    })
    await call('POST', '/api/v1/internal/memory/facts', {
      ...fact,
      category: 'in strict confidence',
    })
    await call('POST', '/api/v1/internal/memory/recall', {
      user_id: 'u',
      query: 'in strict confidence',
    })
    expect(lines[0]).toMatchObject({
      request_id: 'r-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      method: 'POST',
      route: '/api/v1/internal/memory/facts',
      status: 201,
    })
    const all = JSON.stringify(lines)
    expect(lines).toHaveLength(3)
    expect(all).not.toContain('confidence')
    expect(all).not.toContain(key)
  })
})

test('keys changed at run time take effect at once', async () => {
  let keys = { current: key, accepted: [] as string[] }
  const { call } = start({ keys: () => keys })
  const status = async (key: string) =>
    (await call('GET', `${actuator}/info`, undefined, { 'x-internal-api-key': key })).status
  expect(await status(key)).toBe(200)
  keys = { current: 'the-next-key-of-all', accepted: [] }
  expect([await status(key), await status('the-next-key-of-all')]).toEqual([401, 200])
})

test('readiness is DOWN until the startup work is done, and health is not', async () => {
  let finish = () => {}
  const service = defineService({
    name: 'startup-service',
    folder: 'memory',
    schema: 'memory',
    config: z.object({}),
    open: () => ({}),
    endpoints: [],
    afterListen: () =>
      new Promise<string>((resolve) => {
        finish = () => resolve('seeded')
      }),
  })
  const started = service.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
    database: database.driver,
    peers: () => () => Promise.reject(new Error('no peers')),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: makeMetrics(),
    runtime: 'node',
    version: '1',
  })
  const status = async (path: string) =>
    (await started.fetch(new Request(`http://test${actuator}/health${path}`))).status
  await started.beforeServe()
  const startup = started.afterListen()
  expect([await status('/readiness'), await status('/liveness'), await status('')]).toEqual([
    503, 200, 200,
  ])
  finish()
  expect(await startup).toBe('seeded')
  expect(await status('/readiness')).toBe(200)
})
