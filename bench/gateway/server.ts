import { Hono } from 'hono'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { listen } from '../../services/_run/listen.ts'
import { makeLog } from '../../services/_run/log.ts'
import { undiciPeers } from '../../services/_run/undici-peers.ts'
import gateway from '../../services/gateway/service.ts'
import { reportMemory } from '../support/report-memory.ts'

/** Server under load: `upstream` responds, `bare` is a Hono proxy, `full` is the gateway as in production. */
const [kind] = process.argv.slice(2)
const { DATABASE_URL, MATTER_SERVICE_URL } = process.env
const fetchers = { upstream, bare, full }
const { port } = await listen(await fetchers[kind as keyof typeof fetchers](), 0, '127.0.0.1')

reportMemory()
process.send!({ port })

/** A service with a small response, a large download and event streams. */
async function upstream() {
  const app = new Hono()
  const small = { code: 0, message: 'ok', data: { items: [{ id: 1, title: 'A matter' }] } }
  app.get('/api/v1/matters', (c) => c.json(small))
  app.get('/api/v1/download/:mib', (c) => {
    const chunk = new Uint8Array(64 * 1024)
    let left = Number(c.req.param('mib')) * 16
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk)
        else controller.close()
      },
    })
    return c.body(body, 200, { 'content-type': 'application/octet-stream' })
  })
  const encoder = new TextEncoder()
  app.get('/api/v1/stream/:count', (c) => {
    const event = encoder.encode('event: delta\ndata: {"content":"token"}\n\n')
    let left = Number(c.req.param('count'))
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        // One event per turn of the event loop, as a model sends them.
        await new Promise((resolve) => setImmediate(resolve))
        if (left-- > 0) controller.enqueue(event)
        else controller.close()
      },
    })
    return c.body(body, 200, { 'content-type': 'text/event-stream' })
  })
  app.get('/api/v1/open', (c) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(': open\n\n')),
    })
    return c.body(body, 200, { 'content-type': 'text/event-stream' })
  })
  return (request: Request) => app.fetch(request)
}

/** Baseline: forwards everything, without sign-in, limits, identity, log or metrics. */
async function bare() {
  const app = new Hono()
  app.all('/matter-service/*', async (c) => {
    const { pathname, search } = new URL(c.req.url)
    const { method, headers, body } = c.req.raw
    const forwarded = new Headers(headers)
    for (const name of ['host', 'connection', 'cookie']) forwarded.delete(name)
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: forwarded,
      body,
      duplex: 'half',
      redirect: 'manual',
    }
    const path = pathname.slice('/matter-service'.length)
    const response = await fetch(`${MATTER_SERVICE_URL}${path}${search}`, init)
    return new Response(response.body, response)
  })
  return (request: Request) => app.fetch(request)
}

async function full() {
  const database = postgresDriver(DATABASE_URL!, 10)
  await migrate(database, gateway.folder, gateway.schema)
  const { fetch } = gateway.start({
    env: { ...process.env, HOST: '127.0.0.1', GATEWAY_RATE_USER: '1000000000' },
    database,
    peers: undiciPeers(process.env),
    log: makeLog(gateway.name, { LOG_LEVEL: 'info', LOG_FORMAT: 'json' }),
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  return fetch
}
