import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { undiciPeers } from './undici-peers.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

async function serve(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const send = undiciPeers({ MATTER_SERVICE_URL: `http://127.0.0.1:${port}/` })('matter-service')
    .send!
  return (path = '/', init: RequestInit = {}) => send(path, { headers: [], ...init })
}

test('status, headers with several values and body of a small response arrive unchanged', async () => {
  const send = await serve((request, response) => {
    response.writeHead(404, { 'x-one': 'a', 'set-cookie': ['b=1', 'c=2'], 'content-length': 4 })
    response.end(request.url)
  })
  const response = await send('/x?y')
  expect(response.status).toBe(404)
  expect(response.headers.get('x-one')).toBe('a')
  expect(response.headers.getSetCookie()).toEqual(['b=1', 'c=2'])
  expect(await response.text()).toBe('/x?y')
})

test('method and headers are sent, but for the encodings that the caller accepts', async () => {
  const send = await serve(({ method, headers }, response) => {
    response.end(
      JSON.stringify({ method, id: headers['x-id'], encoding: headers['accept-encoding'] }),
    )
  })
  const headers: [string, string][] = [
    ['x-id', '1'],
    ['accept-encoding', 'gzip'],
  ]
  expect(await (await send('/', { method: 'DELETE', headers })).json()).toEqual({
    method: 'DELETE',
    id: '1',
    encoding: 'identity',
  })
})

test.each([
  ['HEAD', 200, { 'content-length': '1000' }],
  ['GET', 204, {}],
  ['GET', 304, {}],
  ['GET', 200, { 'content-length': '0' }],
])('a response without body to %s with status %i ends', async (method, status, headers) => {
  const send = await serve((_, response) => response.writeHead(status, headers).end())
  for (let n = 0; n < 3; n++) {
    const response = await send('/', { method })
    expect(response.status).toBe(status)
    expect(response.body).toBeNull()
  }
})

test('a redirect is returned, not followed', async () => {
  const send = await serve((_, response) => response.writeHead(302, { location: '/other' }).end())
  const response = await send()
  expect([response.status, response.headers.get('location')]).toEqual([302, '/other'])
})

test('a stream arrives while it is written, and ends for the service when the reader leaves', async () => {
  let closed: Promise<unknown> | undefined
  const send = await serve((_, response) => {
    closed = once(response, 'close')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  })
  const reader = (await send()).body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n')
  await reader.cancel()
  await closed
})

test('a large body arrives whole, and the service waits for a slow reader', async () => {
  const size = 32 * 2 ** 20
  let written = 0
  const send = await serve(async (_, response) => {
    response.writeHead(200, { 'content-length': size })
    for (; written < size; written += 65_536)
      if (!response.write(new Uint8Array(65_536))) await once(response, 'drain')
    response.end()
  })
  const reader = (await send()).body!.getReader()
  let read = (await reader.read()).value!.length
  // The rest waits in sockets, not in memory.
  await expect.poll(() => written).toBeGreaterThan(0)
  expect(written).toBeLessThan(size)
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
    read += chunk.value.length
  expect(read).toBe(size)
})

test.each([100, 1_000_000])(
  'a service that dies within a body of %i bytes is an error',
  async (size) => {
    const send = await serve((_, response) => {
      response.writeHead(200, { 'content-length': size })
      response.write('begin', () => response.destroy())
    })
    await expect(send().then((response) => response.text())).rejects.toThrow()
  },
)

test('a service that does not listen, and an aborted request, are errors', async () => {
  const send = await serve(() => {})
  const controller = new AbortController()
  const pending = send('/', { signal: controller.signal })
  controller.abort(new Error('left'))
  await expect(pending).rejects.toThrow('left')
  const nobody = undiciPeers({ MATTER_SERVICE_URL: 'http://127.0.0.1:1' })('matter-service').send!
  await expect(nobody('/', { headers: [] })).rejects.toThrow('ECONNREFUSED')
})
