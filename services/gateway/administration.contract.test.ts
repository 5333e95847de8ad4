import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage, testProject } from '../../tests/support/stage.ts'
import { identifier } from '../_kit/sql/sql.ts'
import gateway from './service.ts'

const scimToken = 'a-token-of-the-directory-for-tests-only'
let erasures: object[] = []
const outcomes: any[] = []

/** platform-service as far as the gateway asks it about erasures. */
const platform = async (request: Request) => {
  if (request.method === 'POST') {
    outcomes.push(await request.json())
    erasures = []
  }
  return Response.json({ code: 0, message: 'ok', data: { items: erasures, recorded: true } })
}

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: { HOST: '127.0.0.1', SCIM_TOKEN: scimToken, SCIM_ORGANIZATION: 'sample-firm' },
    peers: { 'platform-service': platform },
  })
})
afterAll(() => at.close())

async function send(method: string, path: string, headers: object = {}, body?: unknown) {
  const response = await at.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  const data = text ? JSON.parse(text).data : undefined
  return { status: response.status, headers: response.headers, data }
}
async function signIn(person: string) {
  const { headers, data } = await send('POST', '/auth/local', {}, { person })
  return { cookie: headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': data.csrf as string }
}
const createToken = async (session: object, scopes: string[]) =>
  (await send('POST', '/auth/tokens', session, { name: 't', scopes })).data
const fetchStatus = async (headers: object) => (await send('GET', '/auth/me', headers)).status
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('administration', () => {
  test('an administrator lists and revokes sessions and tokens of the organization', async () => {
    const [admin, client] = [await signIn('sample-administrator'), await signIn('sample-client')]
    const token = await createToken(client, ['matters:read'])
    const of = '?user_id=sample-client'
    const sessions = await send('GET', `/auth/admin/sessions${of}`, admin)
    expect(sessions.data.items).toMatchObject([{ user_id: 'sample-client', current: false }])
    const tokens = await send('GET', `/auth/admin/tokens${of}`, admin)
    expect(tokens.data.items).toMatchObject([{ id: token.id, user_id: 'sample-client' }])
    expect(JSON.stringify(tokens.data)).not.toContain(token.token)
    const everyone = await send('GET', '/auth/admin/sessions', admin)
    expect(everyone.data.items.filter(({ current }: any) => current)).toHaveLength(1)

    const [session] = sessions.data.items
    const withoutCsrf = { cookie: admin.cookie }
    const path = `/auth/admin/sessions/${session.id}`
    expect((await send('DELETE', path, withoutCsrf)).status).toBe(403)
    expect((await send('DELETE', path, admin)).status).toBe(200)
    expect((await send('DELETE', `/auth/admin/tokens/${token.id}`, admin)).status).toBe(200)
    expect(await fetchStatus(client)).toBe(401)
    expect(await fetchStatus(bearer(token.token))).toBe(401)
    expect((await send('DELETE', path, admin)).status).toBe(404)
  })

  test('other people, other organizations and limited tokens are refused', async () => {
    const [admin, lawyer] = [await signIn('sample-administrator'), await signIn('sample-lawyer')]
    const limited = bearer((await createToken(admin, ['platform:write'])).token)
    const paths = ['/auth/admin/sessions', '/auth/admin/tokens']
    for (const path of paths) {
      expect((await send('GET', path)).status).toBe(401)
      expect((await send('GET', path, lawyer)).status).toBe(403)
      expect((await send('GET', path, limited)).status).toBe(403)
    }
    const own = (await send('GET', '/auth/sessions', lawyer)).data.items[0].id
    await at.sql`
      update gateway.people set organization_id = 'other',
        identity = identity || '{"organization_id": "other"}'
      where user_id = 'sample-administrator'`
    await at.sql`
      update gateway.sessions set organization_id = 'other' where user_id = 'sample-administrator'`
    const foreign = await signInAgain(admin)
    expect((await send('DELETE', `/auth/admin/sessions/${own}`, foreign)).status).toBe(404)
    expect(
      (await send('GET', '/auth/admin/sessions?user_id=sample-lawyer', foreign)).data.items,
    ).toEqual([])
    expect(await fetchStatus(lawyer)).toBe(200)
  })

  /** Waits until no replica knows the earlier organization of a session. */
  async function signInAgain(session: object) {
    const organization = async () =>
      (await send('GET', '/auth/me', session)).data?.organization_id as string
    await expect.poll(organization).toBe('other')
    return session
  }

  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59'])(
    'a token does not expire before the year 1: %s',
    async (expires_at) => {
      const lawyer = await signIn('sample-lawyer')
      const token = { name: 't', scopes: ['*'], expires_at }
      expect((await send('POST', '/auth/tokens', lawyer, token)).status).toBe(400)
    },
  )

  test('a person with a hundred tokens gets no more until one is revoked', async () => {
    const lawyer = await signIn('sample-lawyer')
    const { id } = await createToken(lawyer, ['*'])
    await at.sql`
      insert into gateway.tokens (id, token_hash, user_id, organization_id, name, scopes)
      select gen_random_uuid(), 'many' || n, user_id, organization_id, name, scopes
      from gateway.tokens, generate_series(1, 100) n where id = ${id}`
    const create = () => send('POST', '/auth/tokens', lawyer, { name: 't', scopes: ['*'] })
    expect((await create()).status).toBe(409)
    await at.sql`delete from gateway.tokens where token_hash like 'many%'`
    expect((await create()).status).toBe(201)
  })

  test('a token without the scope * cannot list or revoke sessions and tokens', async () => {
    const lawyer = await signIn('sample-lawyer')
    const limited = await createToken(lawyer, ['matters:read', 'matters:write'])
    const headers = bearer(limited.token)
    expect(await fetchStatus(headers)).toBe(200)
    for (const path of ['/auth/sessions', '/auth/tokens']) {
      expect((await send('GET', path, headers)).status).toBe(403)
    }
    expect((await send('DELETE', `/auth/tokens/${limited.id}`, headers)).status).toBe(403)
    const full = bearer((await createToken(lawyer, ['*'])).token)
    expect((await send('GET', '/auth/tokens', full)).status).toBe(200)
  })
})

describe.runIf(testProject === 'pglite' || testProject === 'postgres')('erasure', () => {
  test('an erased person leaves no session, token or directory user', async () => {
    const [client, admin] = [await signIn('sample-client'), await signIn('sample-administrator')]
    const token = await createToken(client, ['*'])
    const scim = bearer(scimToken)
    const users = [
      { userName: 'Sample-Client', active: true },
      { userName: 'sample-lawyer', active: false },
    ]
    for (const user of users) await send('POST', '/scim/v2/Users', scim, user)
    erasures = ['sample-client', 'sample-lawyer'].map((user_id, index) => ({
      job_id: `0190a000-0000-7000-8000-00000000000${index}`,
      organization_id: 'sample-firm',
      user_id,
    }))
    await at.tick()
    expect(outcomes).toMatchObject([
      { erased: { tokens: 1, people: 1, scim_users: 1 } },
      { erased: { sessions: 0, people: 0, scim_users: 1 } },
    ])
    for (const table of ['sessions', 'tokens', 'people', 'scim_users']) {
      const rows = await at.sql`select * from ${identifier(`gateway.${table}`)}`
      expect(JSON.stringify(rows).toLowerCase()).not.toContain('sample-client')
    }
    expect(await fetchStatus(client)).toBe(401)
    expect(await fetchStatus(bearer(token.token))).toBe(401)
    expect(await fetchStatus(admin)).toBe(200)
    expect(await fetchStatus(await signIn('sample-client'))).toBe(200)
    // The directory removed this person before the erasure, so that sign-in stays refused.
    const removed = await send('POST', '/auth/local', {}, { person: 'sample-lawyer' })
    expect(removed.status).toBe(403)
  })
})
