import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import gateway from '../service.ts'

const token = 'a-scim-token-for-tests-only-000000'
let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: {
      HOST: '127.0.0.1',
      SCIM_TOKEN: token,
      SCIM_ORGANIZATION: 'sample-firm',
      GATEWAY_RATE_ADDRESS: '50',
    },
    peers: { 'matter-service': async () => Response.json({ code: 0, message: 'ok', data: null }) },
  })
})
afterAll(() => at.close())

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await at.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  )
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    data: text ? JSON.parse(text) : null,
  }
}
const users = '/scim/v2/Users'
const groups = '/scim/v2/Groups'
let count = 0
const newUser = (overrides: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `person-${++count}@firm.example`,
  name: { givenName: 'Lin', familyName: '林' },
  emails: [{ value: 'work@firm.example', type: 'work', primary: true }],
  active: true,
  ...overrides,
})

describe('users', () => {
  test('a user is created, found by name, replaced, patched and deleted', async () => {
    const created = await call(
      'POST',
      users,
      newUser({ userName: 'Lin@firm.example', externalId: 'x-1' }),
    )
    expect([created.status, created.type]).toEqual([201, 'application/scim+json'])
    const { id } = created.data
    const found = await call(
      'GET',
      `${users}?filter=${encodeURIComponent('userName eq "lin@FIRM.example"')}`,
    )
    expect(found.data).toMatchObject({ totalResults: 1, startIndex: 1, Resources: [{ id }] })
    const other = await call('GET', `${users}?filter=${encodeURIComponent('externalId eq "x-2"')}`)
    expect(other.data.totalResults).toBe(0)
    const patched = await call('PATCH', `${users}/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@firm.example' },
        { op: 'add', path: 'name.formatted', value: 'Lin 林' },
        { op: 'replace', value: { displayName: 'Lin' } },
      ],
    })
    expect(patched.data).toMatchObject({
      displayName: 'Lin',
      name: { givenName: 'Lin', formatted: 'Lin 林' },
      emails: [{ value: 'new@firm.example', type: 'work' }],
    })
    const replaced = await call('PUT', `${users}/${id}`, newUser({ userName: 'lin2@firm.example' }))
    expect(replaced.data.userName).toBe('lin2@firm.example')
    expect(replaced.data).not.toHaveProperty('displayName')
    expect((await call('DELETE', `${users}/${id}`)).status).toBe(204)
    expect((await call('GET', `${users}/${id}`)).status).toBe(404)
    expect((await call('DELETE', `${users}/${id}`)).data).toMatchObject({ status: '404' })
  })

  test('a name that is taken is 409, a filter that is not supported 400', async () => {
    const user = newUser()
    await call('POST', users, user)
    const again = await call('POST', users, { ...user, userName: user.userName.toUpperCase() })
    expect(again).toMatchObject({ status: 409, data: { scimType: 'uniqueness' } })
    const filter = encodeURIComponent('emails co "x"')
    expect(await call('GET', `${users}?filter=${filter}`)).toMatchObject({
      status: 400,
      data: { scimType: 'invalidFilter' },
    })
    expect((await call('POST', users, { active: true })).status).toBe(400)
  })

  test('without the token everything is 401, and the address is limited', async () => {
    for (const authorization of ['', 'Bearer wrong', `Bearer ${token}x`, 'Basic eA==']) {
      expect((await call('GET', users, undefined, { authorization })).status).toBe(401)
    }
    for (let i = 0; i < 60; i++) expect((await call('GET', users)).status).toBe(200)
  })
})

describe('groups', () => {
  test('members are added and removed like directories do', async () => {
    const [a, b] = await Promise.all([
      call('POST', users, newUser()),
      call('POST', users, newUser()),
    ])
    const created = await call('POST', groups, {
      displayName: 'Attorneys',
      members: [{ value: a.data.id }],
    })
    expect(created.status).toBe(201)
    const path = `${groups}/${created.data.id}`
    const change = (...Operations: object[]) => call('PATCH', path, { Operations })
    const members = async () =>
      (await call('GET', path)).data.members.map(({ value }: { value: string }) => value).sort()
    await change({ op: 'add', path: 'members', value: [{ value: b.data.id }] })
    expect(await members()).toEqual([a.data.id, b.data.id].sort())
    await change({ op: 'remove', path: `members[value eq "${a.data.id}"]` })
    expect(await members()).toEqual([b.data.id])
    await change({ op: 'Remove', path: 'members', value: [{ value: b.data.id }] })
    expect(await members()).toEqual([])
    await change({ op: 'replace', path: 'displayName', value: 'Lawyers' })
    expect((await call('GET', path)).data.displayName).toBe('Lawyers')
    await change({ op: 'add', path: 'members', value: [{ value: a.data.id }] })
    await call('DELETE', `${users}/${a.data.id}`)
    expect(await members()).toEqual([])
    expect((await call('DELETE', path)).status).toBe(204)
  })
})

describe('removal', () => {
  async function signIn(person: string) {
    const response = await at.fetch(
      new Request('http://127.0.0.1/auth/local', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ person }),
      }),
    )
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    const body: any = await response.json()
    return { status: response.status, headers: { cookie, 'x-csrf-token': body.data?.csrf ?? '' } }
  }
  const status = async (headers: Record<string, string>) => {
    const request = new Request('http://127.0.0.1/matter-service/api/v1/matters', { headers })
    return (await at.fetch(request)).status
  }

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['deleted', (id) => call('DELETE', `${users}/${id}`)],
    [
      'set to not active',
      (id) =>
        call('PUT', `${users}/${id}`, newUser({ externalId: 'sample-lawyer', active: false })),
    ],
    [
      'patched like Entra ID does',
      (id) =>
        call('PATCH', `${users}/${id}`, {
          Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
        }),
    ],
  ])('a person who is %s loses every session and token and cannot sign in', async (_, remove) => {
    await at.sql`delete from gateway.scim_users`
    await at.sql`update gateway.people set active = true`
    const { data: user } = await call('POST', users, newUser({ externalId: 'sample-lawyer' }))
    const sessions = [await signIn('sample-lawyer'), await signIn('sample-lawyer')]
    const bystander = await signIn('sample-client')
    const created = await at.fetch(
      new Request('http://127.0.0.1/auth/tokens', {
        method: 'POST',
        headers: { ...sessions[0]!.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 't', scopes: ['*'] }),
      }),
    )
    const { data }: any = await created.json()
    const credentials = [
      ...sessions.map(({ headers }) => headers),
      { authorization: `Bearer ${data.token}` },
    ]
    for (const headers of credentials) expect(await status(headers)).toBe(200)
    await remove(user.id)
    for (const headers of credentials) expect(await status(headers)).toBe(401)
    expect((await signIn('sample-lawyer')).status).toBe(403)
    expect(await status(bystander.headers)).toBe(200)
    const back = await call('POST', users, newUser({ externalId: 'sample-lawyer' }))
    expect(back.status).toBe(201)
    expect((await signIn('sample-lawyer')).status).toBe(200)
    for (const headers of credentials) expect(await status(headers)).toBe(401)
  })

  test('a person is removed whatever the case of the name, and loses a name that is taken away', async () => {
    await at.sql`delete from gateway.scim_users`
    await at.sql`delete from gateway.people`
    const { data: user } = await call('POST', users, newUser({ userName: 'Sample-Lawyer' }))
    const renamed = await signIn('sample-lawyer')
    await call('PUT', `${users}/${user.id}`, newUser({ userName: 'lin@firm.example' }))
    expect(await status(renamed.headers)).toBe(401)
    await call('PUT', `${users}/${user.id}`, newUser({ userName: 'SAMPLE-LAWYER' }))
    const back = await signIn('sample-lawyer')
    expect(await status(back.headers)).toBe(200)
    await call('DELETE', `${users}/${user.id}`)
    expect(await status(back.headers)).toBe(401)
    expect((await signIn('sample-lawyer')).status).toBe(403)
    await at.sql`delete from gateway.people`
  })
})

describe('attacks', () => {
  test.each([
    'userName eq "a" or "1" eq "1"',
    `userName eq "a"' or true --"`,
    'userName eq "\\x"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq "',
    'password sw "a"',
    'id eq 1',
  ])('the filter %s is 400', async (filter) => {
    const { status, data } = await call('GET', `${users}?filter=${encodeURIComponent(filter)}`)
    expect([status, data.scimType]).toEqual([400, 'invalidFilter'])
  })

  test('a quote in a filter is text, not syntax', async () => {
    const filter = encodeURIComponent(`userName eq "' or '1'='1"`)
    expect((await call('GET', `${users}?filter=${filter}`)).data.totalResults).toBe(0)
  })

  test('concurrent changes do not restore a person who is removed', async () => {
    const { data: user } = await call('POST', users, newUser())
    const patch = (path: string, value: unknown) =>
      call('PATCH', `${users}/${user.id}`, { Operations: [{ op: 'replace', path, value }] })
    await Promise.all([
      ...Array.from({ length: 4 }, (_, n) => patch('displayName', `Lin ${n}`)),
      patch('active', false),
      ...Array.from({ length: 4 }, (_, n) => patch('title', `Partner ${n}`)),
    ])
    expect((await call('GET', `${users}/${user.id}`)).data.active).toBe(false)
  })
})

test('the discovery endpoints describe what is supported', async () => {
  expect((await call('GET', '/scim/v2/ServiceProviderConfig')).data.patch.supported).toBe(true)
  expect((await call('GET', '/scim/v2/ResourceTypes')).data.totalResults).toBe(2)
})
