import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
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
