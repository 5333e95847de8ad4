import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage, testProject } from '../../tests/support/stage.ts'
import gateway from './service.ts'

/** A service that responds with what it received. */
const echo = async (request: Request) =>
  Response.json(
    {
      code: 0,
      message: 'ok',
      data: {
        path: new URL(request.url).pathname + new URL(request.url).search,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      },
    },
    { headers: { 'set-cookie': 'stolen=1', 'x-from-service': 'yes' } },
  )

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: { HOST: '127.0.0.1' },
    peers: {
      'matter-service': echo,
      'files-service': echo,
      'knowledge-service': echo,
      'platform-service': echo,
    },
  })
})
afterAll(() => at.close())

const call = async (path: string, init: RequestInit = {}) => {
  const response = await at.fetch(new Request(`http://127.0.0.1${path}`, init))
  const text = await response.text()
  const envelope = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, text, ...envelope }
}
const json = (body: unknown, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

async function signIn(person: string) {
  const response = await call('/auth/local', json({ person }))
  expect(response.status).toBe(200)
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  return {
    cookie,
    csrf: response.data.csrf as string,
    setCookie: response.headers.get('set-cookie')!,
  }
}

describe('local sign-in', () => {
  test('lists three sample people and signs in with an HttpOnly cookie', async () => {
    const people = await call('/auth/people')
    expect(people.data.map(({ user_type }: any) => user_type)).toEqual([
      'client',
      'lawyer',
      'firm_admin',
    ])
    const { cookie, csrf, setCookie } = await signIn('sample-lawyer')
    expect(setCookie).toMatch(/HttpOnly/i)
    expect(setCookie).toMatch(/SameSite=Lax/i)
    const me = await call('/auth/me', { headers: { cookie } })
    expect(me.data).toMatchObject({ id: 'sample-lawyer', user_type: 'lawyer', csrf })
    expect((await call('/auth/me')).status).toBe(401)
  })

  test('an unknown person is 400 and a page of another site is refused', async () => {
    expect((await call('/auth/local', json({ person: 'root' }))).status).toBe(400)
    const foreign = await call(
      '/auth/local',
      json({ person: 'sample-client' }, { origin: 'https://evil.example' }),
    )
    expect(foreign.status).toBe(403)
  })

  test.runIf(testProject === 'pglite')(
    'a host name that is not loopback has no local sign-in',
    async () => {
      const rebound = await at.fetch(new Request('http://evil.example/auth/people'))
      expect(rebound.status).toBe(404)
    },
  )

  test.runIf(testProject === 'pglite')(
    'production and other addresses have no local sign-in',
    async () => {
      const open = await stage(gateway, { env: { HOST: '0.0.0.0' } })
      expect((await open.fetch(new Request('http://127.0.0.1/auth/people'))).status).toBe(404)
      await open.close()
      const env = {
        ENVIRONMENT: 'production',
        GATEWAY_LOCAL_SIGN_IN: 'true',
        INTERNAL_API_KEY: 'k'.repeat(32),
      }
      await expect(stage(gateway, { env })).rejects.toThrow('not allowed in production')
    },
  )
})

describe('forwarding', () => {
  test('requires sign-in, and sets the identity in place of what the client sent', async () => {
    expect((await call('/matter-service/api/v1/matters')).status).toBe(401)
    const { cookie } = await signIn('sample-client')
    const { data, headers } = await call('/matter-service/api/v1/matters?q=%E6%B3%95', {
      headers: {
        cookie,
        'X-User-Id': 'root',
        'x-organization-id': 'other',
        X_User_Type: 'operator',
        'X-Is-Superuser': 'true',
        'x-permissions': 'platform:manage',
        'x-internal-api-key': 'guess',
      },
    })
    expect(data.path).toBe('/api/v1/matters?q=%E6%B3%95')
    expect(data.headers).toMatchObject({
      'x-user-id': 'sample-client',
      'x-organization-id': 'sample-firm',
      'x-user-type': 'client',
      'x-is-superuser': 'false',
    })
    expect(data.headers['x-permissions'] ?? '').toBe('')
    for (const name of ['cookie', 'authorization', 'x-internal-api-key', 'x_user_type']) {
      expect(data.headers).not.toHaveProperty(name)
    }
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('a write with the cookie needs the CSRF token of its session', async () => {
    const { cookie, csrf } = await signIn('sample-lawyer')
    const other = await signIn('sample-lawyer')
    const write = (headers: object) =>
      call('/matter-service/api/v1/matters', json({ title: 'T' }, { cookie, ...headers }))
    expect((await write({})).status).toBe(403)
    expect((await write({ 'x-csrf-token': other.csrf })).status).toBe(403)
    const { status, data } = await write({ 'x-csrf-token': csrf })
    expect(status).toBe(200)
    expect(data).toMatchObject({ method: 'POST', body: '{"title":"T"}' })
    expect(data.headers).not.toHaveProperty('x-csrf-token')
  })

  test('internal paths are 404 even with a session and the internal key', async () => {
    const { cookie } = await signIn('sample-administrator')
    for (const path of [
      '/matter-service/api/v1/internal/matters/x/sync/all',
      '/matter-service/api/v1/%69nternal/actuator/health',
      '/matter-service/api/v1/internal/actuator/health',
      '/api/v1/internal/actuator/health',
      '/internal/collector/sources',
    ]) {
      const { status } = await call(path, {
        headers: { cookie, 'x-internal-api-key': 'a-key-for-tests-only' },
      })
      expect(status, path).toBe(404)
    }
  })

  test('API descriptions and signed file URLs are open, without identity', async () => {
    const docs = await call('/matter-service/api/v1/v3/api-docs')
    expect(docs.status).toBe(200)
    expect(docs.data.headers).not.toHaveProperty('x-user-id')
    const signed = await call('/files-service/api/v1/files/0190/content?expires=1&signature=x', {
      headers: { 'x-user-id': 'root' },
    })
    expect(signed.data.headers).not.toHaveProperty('x-user-id')
    const { cookie } = await signIn('sample-lawyer')
    const upload = await call('/files-service/api/v1/files/0190/content?expires=1&signature=x', {
      ...{ method: 'PUT', headers: { cookie }, body: 'bytes' },
    })
    expect(upload.data).toMatchObject({ method: 'PUT', body: 'bytes' })
    expect(upload.data.headers).not.toHaveProperty('x-user-id')
  })

  test('a service that cannot be reached is 503 and names no address', async () => {
    const { cookie } = await signIn('sample-lawyer')
    const { status, code, text } = await call('/collector-service/api/v1/collector/sources', {
      headers: { cookie },
    })
    expect([status, code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
    expect(text).not.toMatch(/127\.0\.0\.1|ECONN/)
  })
})

describe('sessions and API tokens', () => {
  test('a session ends for its cookie at logout and by another session of the person', async () => {
    const [a, b, stranger] = await Promise.all([
      signIn('sample-lawyer'),
      signIn('sample-lawyer'),
      signIn('sample-client'),
    ])
    const list = await call('/auth/sessions', { headers: { cookie: a.cookie } })
    const current = list.data.items.find((each: any) => each.current)
    expect(list.data.items.length).toBeGreaterThanOrEqual(2)
    const end = (who: typeof a) =>
      call(`/auth/sessions/${current.id}`, {
        method: 'DELETE',
        headers: { cookie: who.cookie, 'x-csrf-token': who.csrf },
      })
    expect((await end(stranger)).status).toBe(404)
    expect((await end(b)).status).toBe(200)
    expect((await call('/auth/me', { headers: { cookie: a.cookie } })).status).toBe(401)
    const out = await call('/auth/logout', {
      method: 'POST',
      headers: { cookie: b.cookie, 'x-csrf-token': b.csrf },
    })
    expect(out.data).toEqual({ signed_out: true })
    expect(
      (await call('/matter-service/api/v1/matters', { headers: { cookie: b.cookie } })).status,
    ).toBe(401)
  })

  test('a token acts within its scopes, is shown once and works until it is revoked', async () => {
    const { cookie, csrf } = await signIn('sample-lawyer')
    const headers = { cookie, 'x-csrf-token': csrf }
    const created = await call(
      '/auth/tokens',
      json({ name: 'script', scopes: ['matters:read'] }, headers),
    )
    expect(created.status).toBe(201)
    const authorization = `Bearer ${created.data.token}`
    expect(created.data.token).toMatch(/^lst_/)
    const list = await call('/auth/tokens', { headers: { cookie } })
    expect(list.text).not.toContain(created.data.token)
    const read = await call('/matter-service/api/v1/matters', { headers: { authorization } })
    expect(read.data.headers['x-user-id']).toBe('sample-lawyer')
    const write = await call('/matter-service/api/v1/matters', json({}, { authorization }))
    expect([write.status, write.code]).toEqual([403, 'FORBIDDEN'])
    expect((await call('/files-service/api/v1/files', { headers: { authorization } })).status).toBe(
      403,
    )
    expect(
      (await call('/auth/tokens', json({ name: 'more', scopes: ['*'] }, { authorization }))).status,
    ).toBe(403)
    const gone = await call(`/auth/tokens/${created.data.id}`, { method: 'DELETE', headers })
    expect(gone.status).toBe(200)
    expect(
      (await call('/matter-service/api/v1/matters', { headers: { authorization } })).status,
    ).toBe(401)
  })

  test('an expired or malformed token is 401 and never falls back to the cookie', async () => {
    const { cookie, csrf } = await signIn('sample-lawyer')
    const body = { name: 'old', scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }
    const created = await call('/auth/tokens', json(body, { cookie, 'x-csrf-token': csrf }))
    for (const authorization of [
      `Bearer ${created.data.token}`,
      'Bearer lst_nonsense',
      'Basic eA==',
    ]) {
      const { status } = await call('/matter-service/api/v1/matters', {
        headers: { cookie, authorization },
      })
      expect(status, authorization).toBe(401)
    }
    const secret = await at.sql`select * from gateway.tokens`
    expect(JSON.stringify(secret)).not.toContain(created.data.token)
  })
})

test('health responds without sign-in, metrics only with their token', async () => {
  expect(await call('/healthz')).toMatchObject({ status: 'UP' })
  expect((await call('/metrics')).status).toBe(404)
})
