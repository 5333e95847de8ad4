import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { startWebSocketProxy } from '../../tests/support/websocket-proxy.ts'
import { endpoints, ok } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import { defineService } from '../_kit/service.ts'
import { makeSql, type Sql } from '../_kit/sql/sql.ts'
import { worker } from './workerd.ts'

const { get } = endpoints<{ friend: Client }>()

/** Streams three lines, each with the result of a query made during the stream. */
const lines = get('/lines', { summary: 'Lines', responses: { 200: z.unknown() } }, async (c) => {
  const { sql } = c.env
  let line = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const [row] = await sql`select ${++line}::int as line`
      controller.enqueue(new TextEncoder().encode(`${row!.line}\n`))
      if (line === 3) controller.close()
    },
  })
  return new Response(body, { headers: { 'x-kind': 'lines' } })
})

const friend = get('/friend', { summary: 'Friend', responses: { 200: z.unknown() } }, async (c) =>
  ok(c, await c.env.friend.request(z.string(), '/name')),
)

const service = defineService({
  name: 'probe-service',
  folder: 'probe',
  schema: 'memory',
  config: z.object({}),
  open: (_, { client }) => ({ friend: client('friend-service') }),
  endpoints: [lines, friend],
})

let database: Database
let relay: Awaited<ReturnType<typeof startWebSocketProxy>>
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  relay = await startWebSocketProxy()
  sql = makeSql(database.driver)
})
afterAll(async () => {
  await relay.close()
  await database.drop()
})

/** Calls a worker like workerd does. `done` waits for the `waitUntil` promises of the request. */
async function send(path: string, bindings: object = {}, on = worker(service, '1.2.3')) {
  const promises: Promise<unknown>[] = []
  const env = {
    DATABASE_URL: `${database.url}?application_name=edge`,
    NEON_WS_PROXY: relay.address,
    INTERNAL_API_KEY: 'a-key',
    LOG_LEVEL: 'silent',
    ...bindings,
  }
  const headers = { 'x-internal-api-key': 'a-key' }
  const response = await on.fetch(new Request(`http://edge${path}`, { headers }), env, {
    waitUntil: (promise) => promises.push(promise),
  })
  return { response, done: () => Promise.all(promises) }
}

const connections = () => sql`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'edge'`

describe('a worker', () => {
  test('a worker closes its database after the last chunk of a stream', async () => {
    const { response, done } = await send('/lines')
    expect(response.headers.get('x-kind')).toBe('lines')
    expect(await response.text()).toBe('1\n2\n3\n')
    await done()
    await expect.poll(connections).toEqual([])
  })

  test('a worker closes its database when the client disconnects', async () => {
    const { response, done } = await send('/lines')
    const reader = response.body!.getReader()
    await reader.read()
    expect(await connections()).toHaveLength(1)
    await reader.cancel()
    await done()
    await expect.poll(connections).toEqual([])
  })

  test('metrics count across the requests of a worker', async () => {
    const on = worker(service, '1.2.3')
    for (const path of ['/nowhere', '/nowhere']) await (await send(path, {}, on)).response.text()
    const { response } = await send('/api/v1/internal/actuator/prometheus', {}, on)
    expect(await response.text()).toMatch(/http_requests_total\{.*status="404"\} 2/)
  })

  test('a worker calls a peer by its binding', async () => {
    const fetch = async (request: Request) =>
      Response.json({ code: 0, message: 'ok', data: `friend at ${new URL(request.url).pathname}` })
    const { response } = await send('/friend', { 'friend-service': { fetch } })
    expect(await response.json()).toMatchObject({ data: 'friend at /name' })
  })

  test('a worker calls a peer by its URL if there is no binding', async () => {
    const { response } = await send('/friend', { FRIEND_SERVICE_URL: 'http://127.0.0.1:1' })
    expect(response.status).toBe(503)
  })

  test('an invalid configuration is logged and not revealed to the client', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { response } = await send('/lines', { DATABASE_URL: '' })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/DATABASE_URL/)
    expect(log.mock.calls.flat().join()).toMatch(/DATABASE_URL/)
    log.mockRestore()
  })
})
