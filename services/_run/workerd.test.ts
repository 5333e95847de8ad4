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

/** Three lines, each with the number of a query made while the stream is under way. */
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

/** Asks a worker as workerd does; `done` is when it has nothing left to do for the request. */
async function ask(path: string, bindings: object = {}, on = worker(service, '1.2.3')) {
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
  test('keeps its database until the last of a stream is sent, and no longer', async () => {
    const { response, done } = await ask('/lines')
    expect(response.headers.get('x-kind')).toBe('lines')
    expect(await response.text()).toBe('1\n2\n3\n')
    await done()
    await expect.poll(connections).toEqual([])
  })

  test('lets go of its database when the client goes', async () => {
    const { response, done } = await ask('/lines')
    const reader = response.body!.getReader()
    await reader.read()
    expect(await connections()).toHaveLength(1)
    await reader.cancel()
    await done()
    await expect.poll(connections).toEqual([])
  })

  test('counts across its requests', async () => {
    const on = worker(service, '1.2.3')
    for (const path of ['/nowhere', '/nowhere']) await (await ask(path, {}, on)).response.text()
    const { response } = await ask('/api/v1/internal/actuator/prometheus', {}, on)
    expect(await response.text()).toMatch(/http_requests_total\{.*status="404"\} 2/)
  })

  test('reaches another service by its binding', async () => {
    const fetch = async (request: Request) =>
      Response.json({ code: 0, message: 'ok', data: `friend at ${new URL(request.url).pathname}` })
    const { response } = await ask('/friend', { 'friend-service': { fetch } })
    expect(await response.json()).toMatchObject({ data: 'friend at /name' })
  })

  test('reaches another service by its address where there is no binding', async () => {
    const { response } = await ask('/friend', { FRIEND_SERVICE_URL: 'http://127.0.0.1:1' })
    expect(response.status).toBe(503)
  })

  test('that is told nonsense says so in its log, and nothing of it to the caller', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { response } = await ask('/lines', { DATABASE_URL: '' })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/DATABASE_URL/)
    expect(log.mock.calls.flat().join()).toMatch(/DATABASE_URL/)
    log.mockRestore()
  })
})
