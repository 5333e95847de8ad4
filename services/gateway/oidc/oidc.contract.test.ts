import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeBrowser } from '../../../tests/support/browser.ts'
import { clientId, type OidcProvider, startOidcProvider } from '../../../tests/support/oidc.ts'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import gateway from '../service.ts'

const people: Record<string, any> = {
  lin: { name: '林律师', organization_id: 'firm-a', roles: ['attorneys'] },
  zhou: { name: '周主任', organization_id: 'firm-a', roles: ['partners'] },
  homeless: { name: 'Nobody', roles: ['partners'] },
}

let provider: OidcProvider
let at: Stage
beforeAll(async () => {
  provider = await startOidcProvider(people)
  at = await stage(gateway, { env: provider.env })
  provider.logout.relay = async (request) => at.fetch(request)
})
afterAll(async () => {
  await at.close()
  await provider.close()
})
beforeEach(() => {
  provider.state.refuse = false
  people.lin.roles = ['attorneys']
})

async function signIn(person: string, returnTo = '/') {
  provider.state.person = person
  const browser = makeBrowser(at.fetch)
  const { response, visited } = await browser.open(
    `/auth/login?return_to=${encodeURIComponent(returnTo)}`,
  )
  const me = await browser.read('/auth/me')
  return { browser, response, visited, me, csrf: me.data?.csrf as string }
}

describe('sign-in at a provider', () => {
  test('a person signs in with the rights of their roles and returns to the page', async () => {
    const { browser, visited, me } = await signIn('zhou', '/healthz?from=login')
    expect(visited.at(-1)).toBe('https://suite.example/healthz?from=login')
    expect(me.data).toMatchObject({
      id: 'zhou',
      name: '周主任',
      organization_id: 'firm-a',
      user_type: 'firm_admin',
      permissions: ['platform:manage'],
    })
    expect([...browser.cookies.keys()]).toContain('__Host-legal_suite')
  })

  test('the request to the provider has PKCE, state and nonce, and no other address is returned to', async () => {
    const { visited } = await signIn('lin', 'https://evil.example/')
    const { searchParams } = new URL(visited[1]!)
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect(searchParams.get(name)!.length).toBeGreaterThanOrEqual(43)
    }
    expect(visited.at(-1)).toBe('https://suite.example/')
  })

  test('the session cookie is HttpOnly, Secure and Lax, and no token reaches browser or table', async () => {
    provider.state.person = 'lin'
    const browser = makeBrowser(at.fetch)
    const { visited } = await browser.open('/auth/login')
    const callback = visited.find((url) => url.includes('/auth/callback'))!
    expect(callback).not.toMatch(/id_token|access_token/)
    for (const value of browser.cookies.values()) expect(value).toMatch(/^[\w-]{43}$/)
    const login = await makeBrowser(at.fetch).request('/auth/login')
    for (const line of login.headers.getSetCookie()) {
      expect(line).toMatch(/; Path=\/.*HttpOnly; Secure; SameSite=Lax/i)
    }
    const [dump] = await at.sql`
      select (select json_agg(session) from gateway.sessions session)::text as text`
    expect(provider.refreshTokens.length).toBeGreaterThan(0)
    for (const token of provider.refreshTokens) expect(dump!.text).not.toContain(token)
  })

  test('a response for another browser, or used twice, is refused', async () => {
    provider.state.person = 'lin'
    const victim = makeBrowser(at.fetch)
    const attacker = makeBrowser(at.fetch)
    let url = '/auth/login'
    for (;;) {
      const response = await attacker.request(url)
      await response.body?.cancel()
      url = new URL(response.headers.get('location')!, new URL(url, provider.issuer)).href
      if (url.includes('/auth/callback')) break
    }
    expect(await victim.read(url)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect((await attacker.request(url)).status).toBe(302)
    expect(await attacker.read(url)).toMatchObject({ status: 403 })
    expect((await victim.read('/auth/me')).status).toBe(401)
  })

  test('an ID token with another nonce is refused', async () => {
    provider.state.person = 'lin'
    const browser = makeBrowser(at.fetch)
    const login = await browser.request('/auth/login')
    await at.sql`update gateway.sign_ins set nonce = 'another'`
    const { response } = await browser.open(login.headers.get('location')!)
    expect(response.status).toBe(403)
    expect((await browser.read('/auth/me')).status).toBe(401)
  })

  test('a refusal of the provider is 403 without its free text', async () => {
    provider.state.refuse = true
    const { response, me } = await signIn('lin')
    const text = await response.text()
    expect(response.status).toBe(403)
    expect(text).toContain('access_denied')
    expect(text).not.toContain('<b>')
    expect(me.status).toBe(401)
  })

  test('a person without an organization is refused', async () => {
    const { response, me } = await signIn('homeless')
    expect([response.status, me.status]).toEqual([403, 401])
  })

  test('local sign-in does not exist beside a provider', async () => {
    expect((await makeBrowser(at.fetch).read('/auth/people')).status).toBe(404)
  })
})

describe('refresh', () => {
  const expire = (person: string) => at.sql`
    update gateway.sessions set refresh_at = now() - interval '1 second' where user_id = ${person}`
  const rights = async (browser: ReturnType<typeof makeBrowser>) =>
    (await browser.read('/auth/me')).data?.user_type

  test('rights that changed at the provider apply after the access token expired', async () => {
    const { browser } = await signIn('lin')
    people.lin.roles = ['partners']
    const [before] = await at.sql`
      select refresh_token from gateway.sessions where user_id = 'lin' order by created_at desc`
    await expire('lin')
    await expect.poll(() => rights(browser)).toBe('firm_admin')
    const [after] = await at.sql`
      select refresh_token, refresh_at > now() as later
      from gateway.sessions where user_id = 'lin' order by created_at desc`
    expect(after!.later).toBe(true)
    expect(after!.refresh_token).not.toBe(before!.refresh_token)
  })

  test('a session ends when the provider refuses to refresh it', async () => {
    await at.sql`delete from gateway.sessions where user_id = 'zhou'`
    const { browser } = await signIn('zhou')
    await provider.revoke(provider.refreshTokens.at(-1)!)
    await expire('zhou')
    await expect.poll(() => rights(browser)).toBeUndefined()
    expect(await at.sql`select id from gateway.sessions where user_id = 'zhou'`).toEqual([])
  })

  test('a session ends when its refresh token cannot be decrypted', async () => {
    const { browser } = await signIn('zhou')
    await at.sql`
      update gateway.sessions set refresh_token = 'bm90IGEgY2lwaGVydGV4dCBvZiB0aGUga2V5'
      where user_id = 'zhou'`
    await expire('zhou')
    await expect.poll(() => rights(browser)).toBeUndefined()
  })
})

describe('logout', () => {
  test('a logout ends the session, revokes its refresh token and gives no token to the browser', async () => {
    const { browser, csrf } = await signIn('lin')
    const token = provider.refreshTokens.at(-1)!
    expect(await provider.isActive(token)).toBe(true)
    const out = await browser.read('/auth/logout', {
      method: 'POST',
      headers: { 'x-csrf-token': csrf },
    })
    expect(out.data.signed_out).toBe(true)
    const url = new URL(out.data.end_session_url)
    expect(url.origin).toBe(provider.issuer)
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'post_logout_redirect_uri'])
    expect(await provider.isActive(token)).toBe(false)
    expect((await browser.read('/auth/me')).status).toBe(401)
  })

  const send = (token: string) =>
    makeBrowser(at.fetch).read('/auth/backchannel-logout', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
  const claims = (overrides: object = {}) => {
    const now = Math.floor(Date.now() / 1_000)
    return {
      iss: provider.issuer,
      aud: clientId,
      iat: now,
      exp: now + 120,
      jti: crypto.randomUUID(),
      sub: 'lin',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...overrides,
    }
  }

  test('a back-channel logout ends every session of the subject, once', async () => {
    const [a, b, other] = [await signIn('lin'), await signIn('lin'), await signIn('zhou')]
    const token = await provider.sign(claims())
    expect((await send(token)).data.ended).toBeGreaterThanOrEqual(2)
    for (const { browser } of [a, b]) {
      await expect.poll(async () => (await browser.read('/auth/me')).status).toBe(401)
    }
    expect((await other.browser.read('/auth/me')).status).toBe(200)
    expect(await send(token)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
  })

  test('a back-channel logout of one provider session leaves the other sessions', async () => {
    const [a, b] = [await signIn('lin'), await signIn('lin')]
    const [row] = await at.sql`
      select provider_session as sid from gateway.sessions
      where user_id = 'lin' order by created_at desc limit 1`
    expect((await send(await provider.sign(claims({ sid: row!.sid })))).data.ended).toBe(1)
    await expect.poll(async () => (await b.browser.read('/auth/me')).status).toBe(401)
    expect((await a.browser.read('/auth/me')).status).toBe(200)
  })

  test('the provider ends the session at the gateway when the person signs out there', async () => {
    const { browser } = await signIn('lin')
    const url = new URL('/session/end', provider.issuer)
    const page = await (await browser.request(url.href)).text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1]
    await browser.request(new URL('/session/end/confirm', provider.issuer).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf: xsrf ?? '', logout: 'yes' }).toString(),
    })
    await expect.poll(async () => (await browser.read('/auth/me')).status).toBe(401)
  })

  test('a logout token that is forged, of another audience, old or an ID token ends nothing', async () => {
    const { browser } = await signIn('lin')
    const { privateKey: foreign } = await generateKeyPair('RS256')
    const old = Math.floor(Date.now() / 1_000) - 3_600
    const tokens = await Promise.all([
      provider.sign(claims(), {}, foreign),
      provider.sign(claims({ aud: 'another-client' })),
      provider.sign(claims({ iss: 'https://evil.example' })),
      provider.sign(claims({ iat: old })),
      provider.sign(claims({ nonce: 'n' })),
      provider.sign(claims({ events: {} })),
      provider.sign(claims({ sub: undefined })),
      provider.sign(claims({ jti: undefined })),
    ])
    for (const token of [...tokens, 'nonsense', '']) expect((await send(token)).status).toBe(400)
    expect((await browser.read('/auth/me')).status).toBe(200)
  })
})
