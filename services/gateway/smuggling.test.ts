import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { silent } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import { type Listening, listen } from '../_run/listen.ts'
import gateway from './service.ts'

/** Requests that reached a service. */
const reached: { url: string; headers: Headers; body: string }[] = []
let database: Database
let server: Listening
let cookie: string
let csrf: string

beforeAll(async () => {
  database = await newDatabase('pglite')
  const { fetch } = gateway.start({
    env: { ENVIRONMENT: 'test', HOST: '127.0.0.1', GATEWAY_RATE_USER: '100000' },
    database: database.driver,
    peers: () => async (request) => {
      reached.push({ url: request.url, headers: request.headers, body: await request.text() })
      return Response.json({ code: 0, message: 'ok', data: null })
    },
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  server = await listen(fetch, 0, '127.0.0.1')
  const response = await globalThis.fetch(`http://127.0.0.1:${server.port}/auth/local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"person":"sample-client"}',
  })
  cookie = response.headers.get('set-cookie')!.split(';')[0]!
  csrf = ((await response.json()) as { data: { csrf: string } }).data.csrf
})
afterAll(async () => {
  await server.close(0)
  await database.drop()
})

/** Sends bytes and returns everything that comes back until the server closes or is silent. */
function send(bytes: string | Buffer): Promise<string> {
  reached.length = 0
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    // A busy machine may need longer for the first response than for the next one.
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      socket.setTimeout(300)
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code))
const matters = '/matter-service/api/v1/matters'
const lines = (...list: string[]) => `${list.join('\r\n')}\r\n\r\n`
const request = (headers: string[], path = matters, method = 'GET') =>
  lines(`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Cookie: ${cookie}`, ...headers)
const write = (headers: string[], body: string) =>
  request([`X-CSRF-Token: ${csrf}`, ...headers], matters, 'POST') + body

/** Identity headers in any spelling that some server would read as one. */
const identity = /^x[-_. ]?(user|organization|is|permissions|internal)/i

function expectOnlyOwnIdentity() {
  for (const { url, headers } of reached) {
    expect(new URL(url).pathname).not.toMatch(/internal/i)
    expect(headers.get('x-user-id')).toBe('sample-client')
    expect(headers.get('x-user-type')).toBe('client')
    expect(headers.get('x-is-superuser')).toBe('false')
    expect(headers.get('x-permissions') ?? '').toBe('')
    const names = [...headers.keys()].filter((name) => identity.test(name)).sort()
    expect(names).toEqual(
      ['x-is-superuser', 'x-organization-id', 'x-permissions', 'x-user-id', 'x-user-type'].filter(
        (name) => headers.has(name),
      ),
    )
  }
}

describe('identity headers', () => {
  test.each([
    ['as they are', ['X-User-Id: root', 'X-User-Type: operator', 'X-Is-Superuser: true']],
    ['in any case', ['x-USER-id: root', 'X-IS-superUSER: true', 'X-PERMISSIONS: platform:manage']],
    ['with underscores', ['X_User_Id: root', 'x_is_superuser: true', 'X-User_Type: operator']],
    ['twice', ['X-User-Id: a', 'X-User-Id: root']],
    ['with the internal key', ['X-Internal-Api-Key: guess', 'X_Internal_Api_Key: guess']],
    ['named by Connection', ['Connection: x-user-id, x-user-type, x-organization-id']],
    ['with a space before the colon', ['X-User-Id : root', 'X-Is-Superuser\t: true']],
    ['on a folded line', ['X-Note: a', ' X-User-Id: root']],
    ['after a bare line feed', ['X-Note: a\nX-User-Id: root']],
    ['after a bare carriage return', ['X-Note: a\rX-User-Id: root']],
    ['after a NUL', ['X-Note: a\0X-User-Id: root']],
    ['in a trailer', ['Trailer: X-User-Id']],
    [
      'in an upgrade',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA'],
    ],
  ])('sent %s do not change who the service sees', async (_, headers) => {
    const text = await send(request(headers))
    expect(statuses(text).length).toBeGreaterThan(0)
    expect(statuses(text)[0] === 200 || statuses(text)[0] === 400).toBe(true)
    expectOnlyOwnIdentity()
    for (const { headers } of reached) {
      for (const name of ['upgrade', 'http2-settings', 'cookie', 'trailer'])
        expect(headers.has(name)).toBe(false)
    }
  })

  test('trailers of a chunked body do not become headers', async () => {
    const body = '3\r\nabc\r\n0\r\nX-User-Id: root\r\nX-Is-Superuser: true\r\n\r\n'
    await send(write(['Transfer-Encoding: chunked', 'Trailer: X-User-Id'], body))
    expectOnlyOwnIdentity()
    expect(reached.map((each) => each.body)).toEqual(['abc'])
  })
})

describe('smuggled requests', () => {
  const hidden = lines(
    'GET /matter-service/api/v1/internal/actuator/info HTTP/1.1',
    'Host: 127.0.0.1',
    'X-User-Id: root',
  )
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

  test.each([
    ['two lengths', ['Content-Length: 3', `Content-Length: ${3 + hidden.length}`], `abc${hidden}`],
    ['a list of lengths', [`Content-Length: 3, ${3 + hidden.length}`], `abc${hidden}`],
    ['a length and chunks', ['Content-Length: 3', 'Transfer-Encoding: chunked'], chunk(hidden)],
    [
      'chunks and a length',
      ['Transfer-Encoding: chunked', `Content-Length: ${hidden.length}`],
      `0\r\n\r\n${hidden}`,
    ],
    ['a signed length', ['Content-Length: +3'], 'abc'],
    ['a negative length', ['Content-Length: -1'], hidden],
    ['a hexadecimal length', ['Content-Length: 0x3'], 'abc'],
    ['a length with a space', ['Content-Length : 3'], `abc${hidden}`],
    ['an unknown coding', ['Transfer-Encoding: xchunked'], chunk(hidden)],
    ['chunked that is not last', ['Transfer-Encoding: chunked, identity'], chunk(hidden)],
    ['chunked twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'], chunk(hidden)],
    [
      'a coding after a tab',
      ['Transfer-Encoding:\tchunked', 'Content-Length: 5'],
      `0\r\n\r\n${hidden}`,
    ],
    ['a coding with an underscore', ['Transfer_Encoding: chunked', 'Content-Length: 3'], 'abc'],
    ['an overlong chunk size', ['Transfer-Encoding: chunked'], `${'f'.repeat(20)}\r\nabc`],
    ['a negative chunk size', ['Transfer-Encoding: chunked'], `-1\r\n${hidden}`],
    ['a chunk size with a sign', ['Transfer-Encoding: chunked'], `+3\r\nabc\r\n0\r\n\r\n`],
    ['chunks without carriage returns', ['Transfer-Encoding: chunked'], `3\nabc\n0\n\n${hidden}`],
    ['a chunk longer than its size', ['Transfer-Encoding: chunked'], `3\r\nabcdef\r\n0\r\n\r\n`],
  ])(
    '%s: nothing internal is reached and the first request is not misread',
    async (_, headers, body) => {
      const text = await send(write(headers, body))
      expectOnlyOwnIdentity()
      expect(reached.length).toBeLessThanOrEqual(1)
      for (const each of reached) expect(['', 'abc']).toContain(each.body)
      // A request that follows on the connection is handled on its own and is refused.
      for (const status of statuses(text).slice(1)) expect([400, 401, 404]).toContain(status)
    },
  )

  test('a pipelined internal request is 404', async () => {
    const text = await send(
      request([]) + request([], '/matter-service/api/v1/internal/actuator/info'),
    )
    expect(statuses(text)).toEqual([200, 404])
    expect(reached).toHaveLength(1)
  })
})

describe('request lines and hosts', () => {
  test.each([
    '/matter-service/api/v1/internal/actuator/info',
    '/matter-service/api/v1/%69nternal/actuator/info',
    '/matter-service/api/v1/matters/../internal/actuator/info',
    '/matter-service/api/v1/matters/%2e%2e/internal/actuator/info',
    '/matter-service/api/v1//internal/actuator/info',
    '/matter-service/api/v1/\\internal\\actuator\\info',
    '//matter-service/api/v1/internal/actuator/info',
    'http://matter-service/api/v1/internal/actuator/info',
    'http://127.0.0.1/matter-service/api/v1/internal/actuator/info',
    '/matter-service/api/v1/internal/actuator/info#/../../matters',
    '/matter-service/api/v1/internal?/matters',
    '*',
    'matter-service/api/v1/internal/actuator/info',
    '/matter-service/api/v1/INTERNAL/actuator/info',
    '/matter-service/api/v1/internal\u00e9/x',
  ])('%s reaches no service', async (path) => {
    const text = await send(request([], path))
    expect(reached).toEqual([])
    for (const status of statuses(text)) expect([400, 404]).toContain(status)
  })

  test.each([
    ['no host', lines('GET /auth/people HTTP/1.1')],
    ['two hosts', lines('GET /auth/people HTTP/1.1', 'Host: 127.0.0.1', 'Host: evil.example')],
    ['another host', lines('GET /auth/people HTTP/1.1', 'Host: evil.example')],
    ['a host with user info', lines('GET /auth/people HTTP/1.1', 'Host: 127.0.0.1@evil.example')],
    ['a host with a path', lines('GET /auth/people HTTP/1.1', 'Host: evil.example/127.0.0.1')],
    [
      'a loopback name of another domain',
      lines('GET /auth/people HTTP/1.1', 'Host: 127.0.0.1.evil.example'),
    ],
    [
      'an absolute target with another host',
      lines('GET http://127.0.0.1/auth/people HTTP/1.1', 'Host: evil.example'),
    ],
    [
      'an absolute target of another host',
      lines('GET http://evil.example/auth/people HTTP/1.1', 'Host: 127.0.0.1'),
    ],
    [
      'a forwarded host',
      lines('GET /auth/people HTTP/1.1', 'Host: evil.example', 'X-Forwarded-Host: 127.0.0.1'),
    ],
  ])('%s has no local sign-in', async (_, bytes) => {
    const text = await send(bytes)
    expect(statuses(text).length).toBeGreaterThan(0)
    expect(statuses(text)).not.toContain(200)
  })

  test('oversized headers are 431 and reach nothing', async () => {
    for (const headers of [
      [`X-Large: ${'a'.repeat(64 * 1024)}`],
      Array.from({ length: 2_000 }, (_, i) => `X-${i}: ${'a'.repeat(64)}`),
    ]) {
      expect(statuses(await send(request(headers)))).toEqual([431])
    }
    expect(statuses(await send(request([], `/${'a'.repeat(64 * 1024)}`)))).toEqual([431])
    expect(reached).toEqual([])
  })

  test.each(['TRACE', 'CONNECT', 'TRACK', 'PROPFIND', 'get', 'GET\t'])(
    'method %s reaches no service',
    async (method) => {
      const text = await send(request([], matters, method))
      expect(statuses(text)).not.toContain(200)
      expect(reached).toEqual([])
    },
  )

  test('bytes that are no HTTP are refused', async () => {
    for (const bytes of [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01',
      lines('GET / HTTP/9.9', 'Host: a'),
    ]) {
      expect(statuses(await send(Buffer.from(bytes, 'latin1')))).not.toContain(200)
    }
    expect(reached).toEqual([])
  })
})
