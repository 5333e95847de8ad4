import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { internal, type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'
import matter from './service.ts'

let at: MatterStage
let id: string
beforeAll(async () => {
  at = await stageMatter()
  ;({ id } = await at.createMatter({
    title: 'Secret',
    user_id: 'u-1',
    provider_organization_id: 'firm',
  }))
  await at.sync(id, {
    todos: [{ todo_key: 'secret' }],
    deliverables: [{ deliverable_key: 'secret' }],
    facts: [{ entity_key: 'secret', content: 'secret' }],
  })
  await at.post(`${internal}/${id}/analysis/versions/allocate`)
})
afterAll(() => at.close())

/** Every endpoint with a matter id, with a valid body. */
const bodies: Record<string, object> = {
  'PUT /api/v1/matters/:id': { title: 'Stolen' },
  'POST /api/v1/matters/:id/status': { status: 'CANCELLED' },
  'POST /api/v1/matters/:id/todos': { todo_key: 'stolen' },
  'POST /api/v1/internal/matters/:id/sync/all': { title: 'Stolen' },
  ...Object.fromEntries(
    [
      'evidences/submit-analysis',
      'sufficiency/submit',
      'issues/submit',
      'strategies/submit',
      'risk-assessment/submit',
    ].map((route) => [`POST ${internal}/:id/${route}`, { version: 1, items: [1] }]),
  ),
}
const routes = matter.endpoints
  .filter((endpoint) => endpoint.path.includes('matters/:id'))
  .map(({ method, path, spec }) => {
    const name = `${method.toUpperCase()} ${path}`
    const body = spec.body ? (bodies[name] ?? {}) : undefined
    return { name, method: method.toUpperCase(), path, body }
  })
const send = (route: (typeof routes)[number], headers: Record<string, string | undefined>) =>
  at.call(
    route.method,
    route.path
      .replace(/:id(\{.*?\}\})?/, id)
      .replace(/:todo|:deliverableKey/, 'secret')
      .replace(':version', '1'),
    { body: route.body, headers },
  )
const readAll = async () => [
  await at.matter(id),
  await at.todos(id),
  await at.timeline(id),
  await at.read(`${path}/${id}/analysis/1`),
]
const externals = routes.filter((route) => !route.path.startsWith(internal))
const internals = routes.filter((route) => route.path.startsWith(internal))

describe('a matter of another organization', () => {
  test('every endpoint is covered by this test', () => {
    expect([externals.length, internals.length]).toEqual([12, 10])
  })

  test.each(routes.map((route) => [route.name, route] as const))(
    'is not there at %s',
    async (_, route) => {
      const before = await readAll()
      const response = await send(route, { 'x-organization-id': 'other' })
      expect([response.status, response.code]).toEqual([404, 'NOT_FOUND'])
      expect(response.text.toLowerCase()).not.toContain('secret')
      expect(await readAll()).toEqual(before)
    },
  )

  test('a matter of another organization is in no list', async () => {
    for (const query of ['', 'q=secret', 'user_id=u-1']) {
      const headers = { 'x-organization-id': 'other' }
      const { data } = await at.call('GET', `${path}?${query}`, { headers })
      expect(data).toMatchObject({ items: [], total: 0 })
    }
  })
})

describe('a matter of another client', () => {
  const other = { 'x-user-type': 'client', 'x-user-id': 'u-2' }

  test.each(externals.map((route) => [route.name, route] as const))(
    'is not there at %s',
    async (_, route) => {
      const before = await readAll()
      const response = await send(route, other)
      expect([response.status, response.code]).toEqual([404, 'NOT_FOUND'])
      expect(await readAll()).toEqual(before)
    },
  )

  test('a client lists only own matters, other user types all', async () => {
    const total = async (type: string, user: string) => {
      const headers = { 'x-user-type': type, 'x-user-id': user }
      return (await at.call('GET', path, { headers })).data.total
    }
    expect(await total('client', 'u-1')).toBe(1)
    expect(await total('client', 'u-2')).toBe(0)
    for (const type of ['lawyer', 'firm_admin', 'operator'])
      expect(await total(type, 'u-2')).toBe(1)
  })
})

test.each([undefined, 'paralegal', ''])(
  'user type %s has the rights of a client',
  async (userType) => {
    const headers = { 'x-user-type': userType, 'x-user-id': 'somebody' }
    const { id } = await at.createMatter({ user_id: 'owner' })
    expect((await at.call('GET', `${path}/${id}`, { headers })).status).toBe(404)
    const write = { headers, body: { title: 'x' } }
    expect((await at.call('PUT', `${path}/${id}`, write)).status).toBe(404)
    expect((await at.call('GET', path, { headers })).data.items).toEqual([])
    const other = { headers, body: { title: 'x', user_id: 'owner' } }
    expect((await at.call('POST', path, other)).status).toBe(400)
    const anonymous = { headers: { ...headers, 'x-user-id': undefined } }
    expect((await at.call('GET', path, anonymous)).status).toBe(401)
  },
)

describe('identity', () => {
  test.each(externals.map((route) => [route.name, route] as const))(
    'is asked for at %s',
    async (_, route) => {
      const response = await send(route, { 'x-organization-id': undefined })
      expect([response.status, response.code]).toEqual([401, 'UNAUTHENTICATED'])
    },
  )

  test.each(internals.map((route) => [route.name, route] as const))(
    'is the key at %s',
    async (_, route) => {
      const response = await send(route, { 'x-internal-api-key': 'wrong' })
      expect([response.status, response.code]).toEqual([401, 'UNAUTHENTICATED'])
    },
  )

  test('every other external endpoint requires identity', async () => {
    for (const route of [
      path,
      '/api/v1/service-types',
      '/api/v1/flow-blueprints',
      '/api/v1/flow-blueprints/x',
    ]) {
      const { status } = await at.call('GET', route, {
        headers: { 'x-organization-id': undefined },
      })
      expect([route, status]).toEqual([route, 401])
    }
  })
})

describe('the provider that a matter was given to', () => {
  const firm = { 'x-organization-id': 'firm', 'x-user-id': 'l-1', 'x-user-type': 'lawyer' }

  test('the provider organization reads and updates the matter', async () => {
    const { data } = await at.call('GET', `${path}/${id}`, { headers: firm })
    expect(data.title).toBe('Secret')
    expect((await at.call('GET', path, { headers: firm })).data.total).toBe(1)
    const todo = await at.post(`${path}/${id}/todos`, { todo_key: 'firm' }, firm)
    expect(todo.status).toBe(201)
    expect((await at.timeline(id)).events[0]).toMatchObject({ type: 'todo.created', actor: 'l-1' })
  })

  test('a removed provider organization gets 404', async () => {
    await at.call('PUT', `${path}/${id}`, { body: { provider_organization_id: null } })
    expect((await at.call('GET', `${path}/${id}`, { headers: firm })).status).toBe(404)
  })
})

test('an organization pages through its own matters and those it provides, each once', async () => {
  const create = async (title: string, organization: string, provider: string | null) => {
    const headers = { 'x-organization-id': organization, 'x-user-id': `u-${organization}` }
    const body = { title, provider_organization_id: provider, matter_category: 'non_litigation' }
    expect((await at.call('POST', path, { headers, body })).status).toBe(201)
  }
  await create('one', 'both', null)
  await create('two', 'elsewhere', 'both')
  await create('three', 'both', 'both')
  await create('four', 'elsewhere', 'both')
  await create('five', 'elsewhere', null)
  const titles = async (headers: object, filter = '') => {
    const found: string[] = []
    let cursor = ''
    for (;;) {
      const url = `${path}?size=1${filter}${cursor}`
      const { data } = await at.call('GET', url, {
        headers: { 'x-organization-id': 'both', ...headers },
      })
      found.push(...data.items.map(({ title }: { title: string }) => title))
      if (data.next_cursor === null) return { found, total: data.total }
      cursor = `&cursor=${data.next_cursor}`
    }
  }
  const lawyer = { 'x-user-type': 'lawyer' }
  const all = { found: ['four', 'three', 'two', 'one'], total: 4 }
  expect(await titles(lawyer)).toEqual(all)
  expect(await titles(lawyer, '&matter_category=non_litigation&status=DRAFT')).toEqual(all)
  expect(await titles(lawyer, '&user_id=u-elsewhere')).toEqual({ found: ['four', 'two'], total: 2 })
  expect(await titles(lawyer, '&q=thre')).toEqual({ found: ['three'], total: 1 })
  expect(await titles({ 'x-user-id': 'u-both', 'x-user-type': 'client' })).toEqual({
    found: ['three', 'one'],
    total: 2,
  })
})

test('an internal call without organization is trusted', async () => {
  const headers = { 'x-organization-id': undefined }
  const { status, data, headers: sent } = await at.call('GET', `${internal}/${id}`, { headers })
  expect([status, data.id, sent.get('etag')]).toEqual([200, id, `"${data.version}"`])
  expect((await at.call('GET', `${internal}/${id}`)).data).toEqual(data)
})
