import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage, testProject } from '../../tests/support/stage.ts'
import gateway from './service.ts'

const origin = 'https://console.example'

const echo = async (request: Request) =>
  Response.json({
    code: 0,
    message: 'ok',
    data: {
      headers: Object.fromEntries(request.headers),
      bytes: (await request.arrayBuffer()).byteLength,
    },
  })
const page = async () =>
  new Response('<p>API</p>', {
    headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" },
  })
/** Responds only when the gateway gives up. */
const silent = ({ signal }: Request) =>
  new Promise<Response>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error)),
  )

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: {
      HOST: '127.0.0.1',
      GATEWAY_RATE_USER: '30',
      GATEWAY_RATE_TOKEN: '10',
      GATEWAY_RATE_ADDRESS: '200',
      GATEWAY_CORS_ORIGINS: origin,
      GATEWAY_MAX_BODY_MB: '1',
      GATEWAY_TIMEOUT_MS: '1500',
      GATEWAY_TRUSTED_PROXIES: '1',
    },
    peers: { 'matter-service': echo, 'knowledge-service': page, 'files-service': silent },
  })
})
afterAll(() => at.close())

let visitor = 0
const call = async (
  path: string,
  init: RequestInit = {},
  address = `10.0.0.${++visitor % 250}`,
) => {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-for', `1.1.1.1, ${address}`)
  const response = await at.fetch(new Request(`http://127.0.0.1${path}`, { ...init, headers }))
  const text = await response.text()
  const { status } = response
  return { ...(text.startsWith('{') ? JSON.parse(text) : {}), status, headers: response.headers }
}
const post = (body: unknown, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
async function signIn(person: string) {
  const { headers, data } = await call('/auth/local', post({ person }))
  return { cookie: headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': data.csrf as string }
}
const matters = '/matter-service/api/v1/matters'

/** Repeats a request until it is limited. Fails if that does not happen. */
async function untilLimited(send: () => ReturnType<typeof call>) {
  for (let i = 0; i < 400; i++) {
    const response = await send()
    if (response.status === 429) return { served: i, response }
  }
  throw new Error('never limited')
}

describe('rate limits', () => {
  test('a token is limited before its person, with Retry-After and RateLimit', async () => {
    const person = await signIn('sample-lawyer')
    const { data } = await call('/auth/tokens', post({ name: 't', scopes: ['*'] }, person))
    const headers = { authorization: `Bearer ${data.token}` }
    const first = await call(matters, { headers })
    expect(first.headers.get('ratelimit')).toMatch(/^"token";r=9;t=\d+$/)
    expect(first.headers.get('ratelimit-policy')).toBe('"token";q=10;w=60')
    const { response } = await untilLimited(() => call(matters, { headers }))
    expect(response.code).toBe('RATE_LIMITED')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('ratelimit')).toMatch(/^"token";r=0;/)
    expect((await call('/auth/me', { headers: person })).status).toBe(200)
  })

  test('a person is limited over all sessions, another person is not', async () => {
    const [a, b] = [await signIn('sample-client'), await signIn('sample-client')]
    let turn = 0
    await untilLimited(() => call(matters, { headers: turn++ % 2 ? a : b }))
    expect((await call('/auth/me', { headers: a })).status).toBe(429)
    const other = await signIn('sample-administrator')
    expect((await call('/auth/me', { headers: other })).status).toBe(200)
  })

  test('an address without sign-in is limited, whatever it claims to be', async () => {
    let claimed = 0
    const attempt = () =>
      call(matters, { headers: { 'x-forwarded-for': `9.9.9.${claimed++}` } }, '10.9.9.9')
    await untilLimited(attempt)
    expect((await call(matters, {}, '10.9.9.8')).status).toBe(401)
    expect((await call('/healthz', {}, '10.9.9.9')).status).toBe(200)
  })
})

describe('request limits', () => {
  test('a body beyond the limit is 413, with and without a length', async () => {
    const headers = await signIn('sample-lawyer')
    const large = new Uint8Array(1024 * 1024 + 1)
    const announced = await call(matters, { method: 'POST', headers, body: large })
    expect([announced.status, announced.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test.runIf(testProject === 'pglite' || testProject === 'postgres')(
    'a chunked body is counted while it is forwarded',
    async () => {
      const headers = {
        ...(await signIn('sample-lawyer')),
        'content-type': 'application/octet-stream',
      }
      const chunks = (count: number) =>
        new ReadableStream({
          pull(controller) {
            if (count-- > 0) controller.enqueue(new Uint8Array(256 * 1024))
            else controller.close()
          },
        })
      const send = (count: number) => {
        const init = { method: 'POST', headers, body: chunks(count), duplex: 'half' }
        return call(matters, init as RequestInit)
      }
      expect(await send(4)).toMatchObject({ status: 200, data: { bytes: 1024 * 1024 } })
      expect(await send(5)).toMatchObject({ status: 413 })
    },
  )

  test('a service that does not respond in time is 503', async () => {
    const headers = await signIn('sample-lawyer')
    const { status, code } = await call('/files-service/api/v1/files', { headers })
    expect([status, code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
  })
})

describe('headers', () => {
  test('every response has the security headers, faults included', async () => {
    for (const path of ['/', '/auth/me', '/nowhere', '/healthz', matters]) {
      const { headers } = await call(path)
      expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'/)
      expect(headers.get('content-security-policy'), path).toMatch(/frame-ancestors 'none'/)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin')
      expect(headers.get('x-request-id'), path).toBeTruthy()
    }
  })

  test('the page of a service keeps its own policy', async () => {
    const { headers } = await call('/knowledge-service/api/v1/swagger-ui/index.html')
    expect(headers.get('content-security-policy')).toBe("default-src 'self'")
  })

  test('forwarding headers of a client are replaced by its address', async () => {
    const headers = {
      ...(await signIn('sample-administrator')),
      forwarded: 'for=1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-real-ip': '1.2.3.4',
      'x-original-url': '/api/v1/internal/actuator/info',
      'x-http-method-override': 'DELETE',
    }
    const { data } = await call(matters, { headers }, '10.1.2.3')
    expect(data.headers['x-forwarded-for']).toBe('10.1.2.3')
    for (const name of Object.keys(headers)) expect(data.headers).not.toHaveProperty(name)
  })
})

describe('CORS', () => {
  const preflight = (from: string) =>
    call(matters, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'POST' },
    })

  test('an origin of the allow-list may call, others may not', async () => {
    const allowed = await preflight(origin)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    expect(allowed.headers.get('access-control-allow-headers')).toMatch(/X-CSRF-Token/)
    for (const from of [
      'https://evil.example',
      'null',
      `${origin}.evil.example`,
      `${origin}:444`,
    ]) {
      const refused = await preflight(from)
      expect(refused.headers.get('access-control-allow-origin'), from).toBeNull()
    }
    const simple = await call('/auth/people', { headers: { origin } })
    expect(simple.headers.get('access-control-allow-origin')).toBe(origin)
    expect(simple.headers.get('vary')).toMatch(/Origin/)
  })

  test.runIf(testProject === 'pglite')(
    'an allow-list with a wildcard stops the start',
    async () => {
      for (const list of ['*', 'https://a.example/', 'a.example']) {
        await expect(stage(gateway, { env: { GATEWAY_CORS_ORIGINS: list } })).rejects.toThrow(
          /GATEWAY_CORS_ORIGINS/,
        )
      }
    },
  )
})
