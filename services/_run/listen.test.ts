import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { silent } from '../_kit/log.ts'
import { withText } from '../_kit/response-text.ts'
import { type Listening, listen } from './listen.ts'

const start = () =>
  listen(
    async () => {
      await pause(Math.random() * 4)
      return new Response('ok')
    },
    0,
    '127.0.0.1',
  )

const request = (agent: Agent) =>
  new Promise<string>((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port: 1 }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve(body))
    }).on('error', reject)
  })

test('keep-alive clients see no failed request over 50 restarts', async () => {
  let current: Listening = await start()
  // New connections go to the current server, like those of a load balancer.
  class Balancer extends Agent {
    override createConnection() {
      return connect(current.port, '127.0.0.1')
    }
  }
  let running = true
  let requests = 0
  const failures: unknown[] = []
  const clients = Array.from({ length: 8 }, async (_, client) => {
    const agent = new Balancer({ keepAlive: true, maxSockets: 2 })
    while (running) {
      await request(agent).then(
        (body) => {
          requests++
          if (body !== 'ok') failures.push(body)
        },
        (error) => failures.push(error),
      )
      // Some clients are busy, some leave their connection idle for a while.
      if (client % 2) await pause(Math.random() * 40)
    }
    agent.destroy()
  })
  for (let round = 0; round < 50; round++) {
    const old = current
    const next = await start()
    const closed = old.close(2_000)
    // The load balancer switches to the new server after the old one started to close.
    await pause(10)
    current = next
    await closed
  }
  running = false
  await Promise.all(clients)
  await current.close(0)
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(1_000)
}, 180_000)

test('a response whose text is known is sent with its length, headers and cookies', async () => {
  const headers = new Headers({ 'content-type': 'application/json', etag: '"1"' })
  headers.append('set-cookie', 'a=1')
  headers.append('set-cookie', 'b=2')
  const text = '{"name":"张三"}'
  const server = await listen(
    async () => withText(new Response(text, { status: 201, headers }), text),
    0,
    '127.0.0.1',
  )
  const url = `http://127.0.0.1:${server.port}/`
  const response = await fetch(url)
  expect([response.status, await response.text()]).toEqual([201, text])
  expect(response.headers.get('content-length')).toBe('17')
  expect(response.headers.get('etag')).toBe('"1"')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([201, ''])
  await server.close(0)
})

/** A body of some parts that then fails, after a while if `late`. */
const failing = (parts: number, late: boolean) => {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      if (sent++ < parts) return controller.enqueue(new TextEncoder().encode('part'))
      if (late) await pause(20)
      controller.error(new Error('upstream closed'))
    },
  })
}
const announced = { 'content-length': '400' }

test.each([
  ['fails at once', () => new Response(failing(0, false))],
  ['fails after its first part', () => new Response(failing(1, false))],
  ['fails after a while', () => new Response(failing(3, true))],
  ['of known length fails at once', () => new Response(failing(0, false), { headers: announced })],
  ['of known length fails later', () => new Response(failing(3, true), { headers: announced })],
  ['is shorter than its length', () => new Response('part', { headers: announced })],
])('a body that %s ends the connection and no response follows on it', async (_, respond) => {
  const messages: string[] = []
  const log = { ...silent, warn: (_: object, message: string) => messages.push(message) }
  const server = await listen(
    async ({ url }) => (url.endsWith('/next') ? new Response('next') : respond()),
    0,
    '127.0.0.1',
    log,
  )
  await expect(
    fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text()),
  ).rejects.toThrow()
  const socket = connect(server.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\nGET /next HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(socket, 'close')
  expect(text).not.toContain('next')
  expect(new Set(messages)).toEqual(new Set(['response body failed']))
  await server.close(0)
})

test.each([
  ['before the response', true],
  ['during the body', false],
])('a client that leaves %s cancels the body', async (_, early) => {
  const [asked, left, cancelled] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const server = await listen(
    async () => {
      asked!.resolve()
      if (early) await left!.promise
      return new Response(new ReadableStream({ cancel: cancelled!.resolve }))
    },
    0,
    '127.0.0.1',
  )
  const request = get({ host: '127.0.0.1', port: server.port })
  request.on('error', () => {})
  if (early) await asked!.promise
  else await once(request, 'response')
  const closed = new Promise((resolve) => request.once('close', resolve))
  request.destroy()
  await closed
  // The server sees the end of the connection after the client.
  await pause(100)
  left!.resolve()
  await cancelled!.promise
  await server.close(0)
})

test('a body arrives whole with its headers, and the headers of a silent one at once', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const chunk = new Uint8Array(65_536)
  let left = 100
  const body = () =>
    new ReadableStream({
      async pull(controller) {
        await opened
        if (left-- > 0) controller.enqueue(chunk)
        else controller.close()
      },
    })
  const headers = new Headers({ etag: '"1"' })
  headers.append('set-cookie', 'a=1')
  headers.append('set-cookie', 'b=2')
  const server = await listen(
    async () => new Response(body(), { status: 206, headers }),
    0,
    '127.0.0.1',
  )
  const response = await fetch(`http://127.0.0.1:${server.port}/`)
  expect([response.status, response.headers.get('etag')]).toEqual([206, '"1"'])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  open()
  expect((await response.arrayBuffer()).byteLength).toBe(100 * chunk.length)
  await server.close(0)
})

test('close returns soon without connections, and within the grace period with a stuck request', async () => {
  const idle = await start()
  let started = performance.now()
  await idle.close(10_000)
  expect(performance.now() - started).toBeLessThan(1_500)

  const stuck = await listen(() => new Promise(() => {}), 0, '127.0.0.1')
  const socket = connect(stuck.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await pause(50)
  started = performance.now()
  await stuck.close(400)
  expect(performance.now() - started).toBeLessThan(2_000)
})
