import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import { type Listening, listen } from '../../_run/listen.ts'
import gateway from '../service.ts'

const audience = 'https://suite.example/api'
const keys: JWK[] = []
let fetches = 0
let issuer: string
let server: Listening
let isDown = false
let at: Stage
let current: CryptoKey
let publicPem: string

async function addKey(kid: string): Promise<CryptoKey> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  keys.push({ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' })
  publicPem = await exportSPKI(publicKey)
  return privateKey
}

/** An issuer with metadata and keys only. */
const serveIssuer = (request: Request) => {
  if (isDown) return new Response(null, { status: 503 })
  if (new URL(request.url).pathname === '/jwks') {
    fetches++
    return Response.json({ keys })
  }
  return Response.json({
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  })
}

const echo = async (request: Request) =>
  Response.json({ code: 0, message: 'ok', data: Object.fromEntries(request.headers) })

beforeAll(async () => {
  current = await addKey('k1')
  server = await listen(serveIssuer, 0, '127.0.0.1')
  issuer = `http://127.0.0.1:${server.port}`
  at = await stage(gateway, {
    env: {
      PUBLIC_URL: 'https://suite.example',
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'legal-suite',
      OIDC_AUDIENCE: audience,
      OIDC_ROLE_GRANTS: 'attorneys=lawyer',
    },
    peers: { 'matter-service': echo },
  })
})
afterAll(async () => {
  await at.close()
  await server.close(0)
})

const seconds = () => Math.floor(Date.now() / 1_000)
const claims = (overrides: object = {}) => ({
  iss: issuer,
  aud: audience,
  sub: 'lin',
  organization_id: 'firm-a',
  roles: ['attorneys'],
  iat: seconds(),
  exp: seconds() + 300,
  ...overrides,
})
const sign = (overrides: object = {}, header: object = {}, key: CryptoKey | Uint8Array = current) =>
  new SignJWT(claims(overrides))
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key)

async function call(token: string, method = 'GET', scheme = 'Bearer') {
  const response = await at.fetch(
    new Request('http://127.0.0.1/matter-service/api/v1/matters', {
      method,
      headers: { authorization: `${scheme} ${token}` },
    }),
  )
  const body: any = await response.json()
  return { ...body, status: response.status, challenge: response.headers.get('www-authenticate') }
}

describe('bearer tokens of the provider', () => {
  test('a valid token acts as its person, without CSRF token', async () => {
    const read = await call(await sign())
    expect(read.data).toMatchObject({
      'x-user-id': 'lin',
      'x-organization-id': 'firm-a',
      'x-user-type': 'lawyer',
    })
    expect(read.data).not.toHaveProperty('authorization')
    expect((await call(await sign(), 'POST')).status).toBe(200)
  })

  test('scopes of the suite in a token limit it, other scopes do not', async () => {
    const limited = await sign({ scope: 'openid matters:read' })
    expect((await call(limited)).status).toBe(200)
    const write = await call(limited, 'POST')
    expect([write.status, write.code]).toEqual([403, 'FORBIDDEN'])
    expect(write.challenge).toContain('insufficient_scope')
    expect((await call(await sign({ scp: ['files:read'] }))).status).toBe(403)
    expect((await call(await sign({ scope: 'openid' }), 'POST')).status).toBe(200)
  })

  test.each<[string, () => Promise<string>]>([
    ['expired', () => sign({ iat: seconds() - 600, exp: seconds() - 60 })],
    ['not yet valid', () => sign({ nbf: seconds() + 60 })],
    ['without an expiry', () => sign({ exp: undefined })],
    ['of another audience', () => sign({ aud: 'https://other.example' })],
    ['for the client instead of the audience', () => sign({ aud: 'legal-suite' })],
    ['of another issuer', () => sign({ iss: 'https://evil.example' })],
    ['unsigned', async () => `${new UnsecuredJWT(claims()).encode()}x`],
    ['with alg none and an empty signature', async () => new UnsecuredJWT(claims()).encode()],
    [
      'signed by HS256 with the public key',
      () => sign({}, { alg: 'HS256' }, new TextEncoder().encode(publicPem)),
    ],
    [
      'of an unknown key',
      async () => sign({}, { kid: 'other' }, (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'of another key under a known id',
      async () => sign({}, {}, (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'with its own key in the header',
      async () => {
        const own = await generateKeyPair('RS256', { extractable: true })
        return sign({}, { kid: 'x', jwk: await exportJWK(own.publicKey) }, own.privateKey)
      },
    ],
    ['an ID token', () => sign({ nonce: 'n' })],
    ['an ID token of a refresh, without nonce', () => sign({ at_hash: 'cpqKfdQA5eH891Ff5oJr_Q' })],
    ['an ID token of Keycloak', () => sign({ typ: 'ID' })],
    ['a logout token', () => sign({ events: {} })],
    ['bound to the key of its client', () => sign({ cnf: { jkt: 'x' } })],
    ['changed after signing', async () => (await sign()).replace(/\.[^.]{8}/, '.eyJzdWIi')],
    ['truncated', async () => (await sign()).slice(0, -4)],
  ])('a token that is %s is refused', async (_, make) => {
    const { status, code, challenge } = await call(await make())
    expect([status, code]).toEqual([401, 'UNAUTHENTICATED'])
    expect(challenge).toBe(
      'Bearer error="invalid_token", resource_metadata="https://suite.example/.well-known/oauth-protected-resource"',
    )
  })

  test('a token without organization is 403, another scheme is 401', async () => {
    expect((await call(await sign({ organization_id: undefined }))).status).toBe(403)
    expect((await call(await sign(), 'GET', 'DPoP')).status).toBe(401)
  })

  test('a person who was removed is refused', async () => {
    await at.sql`
      insert into gateway.people (organization_id, user_id, identity, active)
      values ('firm-a', 'gone', '{}', false)`
    expect((await call(await sign({ sub: 'gone' }))).status).toBe(401)
    expect((await call(await sign({ sub: 'Gone' }))).status).toBe(401)
  })

  test('a new key of the provider is accepted, and the keys are not fetched per request', async () => {
    const rotated = await addKey('k2')
    const token = () => sign({}, { kid: 'k2' }, rotated)
    await expect.poll(async () => (await call(await token())).status).toBe(200)
    const before = fetches
    for (let i = 0; i < 20; i++) expect((await call(await token())).status).toBe(200)
    expect(fetches).toBe(before)
  })

  test('during an outage of the provider known keys verify, and unknown ones are refused', async () => {
    isDown = true
    try {
      expect((await call(await sign())).status).toBe(200)
      const { privateKey } = await generateKeyPair('RS256')
      expect((await call(await sign({}, { kid: 'later' }, privateKey))).status).toBe(401)
    } finally {
      isDown = false
    }
  })

  test('a request without credentials gets a challenge without error', async () => {
    const response = await at.fetch(new Request('http://127.0.0.1/auth/me'))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata=/)
  })

  test('the protected-resource metadata names the provider and the scopes', async () => {
    for (const resource of ['', '/mcp']) {
      const path = `/.well-known/oauth-protected-resource${resource}`
      const response = await at.fetch(new Request(`http://127.0.0.1${path}`))
      expect(await response.json()).toMatchObject({
        resource: `https://suite.example${resource}`,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: expect.arrayContaining(['matters:read', 'ai:write']),
      })
    }
  })
})
