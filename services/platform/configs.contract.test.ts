import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const path = '/api/v1/configs'
const internal = '/api/v1/internal/platform/configs'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'ada' },
  })
})
afterAll(() => at.close())

const make = (key: string, value: unknown = 1, headers = {}) =>
  at.call('POST', path, { body: { key, value }, headers })

describe('creating a config', () => {
  test('a new key creates a config with default values', async () => {
    const { status, data, headers } = await make('matters.service_types', { service_types: [] })
    expect(status).toBe(201)
    expect(data).toMatchObject({
      key: 'matters.service_types',
      value: { service_types: [] },
      description: '',
      version: 1,
    })
    expect(headers.get('etag')).toBe('"1"')
  })

  test('an existing key is 409 and keeps its value', async () => {
    await make('taken', 'first')
    const { status, code, message } = await make('taken', 'second')
    expect([status, code]).toEqual([409, 'CONFLICT'])
    expect(message).toContain('taken')
    expect((await at.call('GET', `${path}/taken`)).data).toMatchObject({
      value: 'first',
      version: 1,
    })
  })

  test.each([null, false, 0, '', [], {}, [1, { a: null }], 'ä 法 🙂', 1e21, 1.5e-9])(
    'the value %j is kept as it is',
    async (value) => {
      const key = `value.${crypto.randomUUID()}`
      expect((await make(key, value)).data.value).toEqual(value)
      expect((await at.call('GET', `${internal}/${key}`)).data.value).toEqual(value)
    },
  )

  test.each([
    ['value', { key: 'no.value' }],
    ['key', { value: 1 }],
    ['key', { key: '', value: 1 }],
    ['key', { key: 'two words', value: 1 }],
    ['key', { key: "x'; drop table platform.configs; --", value: 1 }],
    ['key', { key: 'k'.repeat(201), value: 1 }],
    ['key', { key: 7, value: 1 }],
    ['description', { key: 'k', value: 1, description: 'd'.repeat(2_001) }],
  ])('a wrong %s is named', async (member, body) => {
    const { status, code, data } = await at.call('POST', path, { body })
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(data.issues[0].path).toBe(member)
  })

  test('of concurrent creations of one key one succeeds, the others get 409', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => make('raced', n)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(11).fill(409)])
    const winner = responses.find(({ status }) => status === 201)!
    expect((await at.call('GET', `${path}/raced`)).data).toEqual(winner.data)
  })
})

describe('an Idempotency-Key', () => {
  test('the same body returns the first response, another body is 409', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await make('idempotent', 1, headers)
    const again = await make('idempotent', 1, headers)
    const other = await make('idempotent', 2, headers)
    expect([first.status, again.status, other.status]).toEqual([201, 201, 409])
    expect(again.data).toEqual(first.data)
    expect(again.headers.get('etag')).toBe('"1"')
  })

  test('concurrent duplicates create one record and one audit entry', async () => {
    const headers = { 'idempotency-key': 'at-once' }
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => make('idempotent.raced', 1, headers)),
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]!.status).toBe(201)
    const [count] = await at.sql`
      select count(*) as made from platform.audit_logs where resource = 'config:idempotent.raced'`
    expect(count).toEqual({ made: 1 })
  })
})

describe('reading a config', () => {
  test('internal and external reads return the same config', async () => {
    await make('read.me', [1])
    const inside = await at.call('GET', `${internal}/read.me`)
    const outside = await at.call('GET', `${path}/read.me`)
    expect(inside.status).toBe(200)
    expect(inside.data).toEqual(outside.data)
    expect(inside.headers.get('etag')).toBe('"1"')
  })

  test.each(['unknown', "x' or '1'='1", '%00', '%2e%2e%2f', 'k'.repeat(300)])(
    'the key %s names nothing',
    async (key) => {
      for (const base of [path, internal]) {
        const { status } = await at.call('GET', `${base}/${encodeURIComponent(key)}`)
        expect(status).toBe(404)
      }
    },
  )

  test('the internal path needs only the internal key', async () => {
    await make('inside', 1)
    const headers = { 'x-permissions': undefined, 'x-user-id': undefined }
    expect((await at.call('GET', `${internal}/inside`, { headers })).status).toBe(200)
    const wrong = await at.call('GET', `${internal}/inside`, {
      headers: { 'x-internal-api-key': 'wrong' },
    })
    expect([wrong.status, wrong.code]).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('updating a config', () => {
  test('an update increments the version and keeps an omitted description', async () => {
    await at.call('POST', path, { body: { key: 'edited', value: 1, description: 'why' } })
    const { data, headers } = await at.call('PUT', `${path}/edited`, { body: { value: null } })
    expect(data).toMatchObject({ value: null, description: 'why', version: 2 })
    expect(headers.get('etag')).toBe('"2"')
    const described = await at.call('PUT', `${path}/edited`, {
      body: { value: 2, description: '' },
    })
    expect(described.data).toMatchObject({ value: 2, description: '', version: 3 })
  })

  test('an update without a value is 400', async () => {
    await make('needs.value')
    const { status, data } = await at.call('PUT', `${path}/needs.value`, { body: {} })
    expect([status, data.issues[0].path]).toEqual([400, 'value'])
  })

  test('updating an unknown key is 404', async () => {
    expect((await at.call('PUT', `${path}/nobody`, { body: { value: 1 } })).status).toBe(404)
    expect((await at.call('GET', `${path}/nobody`)).status).toBe(404)
  })

  test.each(['"2"', '"0"', 'W/"7"', 'rubbish'])('If-Match %s is stale', async (tag) => {
    const key = `stale.${crypto.randomUUID()}`
    await make(key, 'before')
    const headers = { 'if-match': tag }
    const put = await at.call('PUT', `${path}/${key}`, { body: { value: 'after' }, headers })
    const del = await at.call('DELETE', `${path}/${key}`, { headers })
    for (const { status, code, data } of [put, del]) {
      expect([status, code, data]).toEqual([409, 'VERSION_CONFLICT', { version: 1 }])
    }
    const { data } = await at.call('GET', `${path}/${key}`)
    expect(data).toMatchObject({ value: 'before', version: 1 })
  })

  test('of concurrent updates with one ETag one succeeds', async () => {
    await make('contended', 0)
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        at.call('PUT', `${path}/contended`, { body: { value: n }, headers: { 'if-match': '"1"' } }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect((await at.call('GET', `${path}/contended`)).data.version).toBe(2)
  })
})

test('a second delete of a config is 404', async () => {
  await make('gone')
  const first = await at.call('DELETE', `${path}/gone`, { headers: { 'if-match': '"1"' } })
  expect([first.status, first.data]).toEqual([200, { deleted: true }])
  expect((await at.call('DELETE', `${path}/gone`)).status).toBe(404)
  expect((await make('gone', 2)).data.version).toBe(1)
})

test('every write is audited without the value', async () => {
  await make('audited', 'secret-value')
  await at.call('PUT', `${path}/audited`, { body: { value: 'secret-value-too' } })
  await at.call('DELETE', `${path}/audited`, { headers: { 'x-user-id': undefined } })
  const { data, text } = await at.call('GET', '/api/v1/audit-logs?resource=config:audited', {
    headers: { 'x-organization-id': undefined },
  })
  expect(
    data.items.map(({ actor, action, details }: Record<string, unknown>) => [
      actor,
      action,
      details,
    ]),
  ).toEqual([
    ['unknown', 'config.deleted', { version: 2 }],
    ['ada', 'config.updated', { version: 2 }],
    ['ada', 'config.created', { version: 1 }],
  ])
  expect(text).not.toContain('secret')
})

describe('the list of configs', () => {
  const keys = ['list.A', 'list.Z', 'list.a', 'list.a.b', 'list.a:c', 'list.b']
  beforeAll(async () => {
    for (const key of [...keys].reverse()) await make(key)
  })
  const list = (query: string) => at.call('GET', `${path}?${query}`)
  const listKeys = (data: { items: { key: string }[] }) => data.items.map(({ key }) => key)

  test('the list is ordered by key and filtered by prefix', async () => {
    expect(listKeys((await list('q=list.&size=200')).data)).toEqual(keys)
    expect(listKeys((await list('q=list.a')).data)).toEqual(['list.a', 'list.a.b', 'list.a:c'])
    expect((await list('q=LIST.')).data).toMatchObject({ items: [], total: 0, total_pages: 0 })
  })

  test.each(['%25', '_', "list.' or true --", '\\'])(
    'the beginning %s is only a text',
    async (q) => {
      expect((await list(`q=${encodeURIComponent(decodeURIComponent(q))}`)).data.items).toEqual([])
    },
  )

  test('a page past the end is empty', async () => {
    const { status, data } = await list('q=list.&size=4&page=3')
    expect(status).toBe(200)
    expect(data).toEqual({
      items: [],
      page: 3,
      size: 4,
      total: 6,
      total_pages: 2,
      next_cursor: null,
    })
    expect((await list('page=9007199254740991&size=200')).data.items).toEqual([])
  })

  test.each(['page=0', 'page=-1', 'page=x', 'size=0', 'size=201', 'limit=0', 'size=1.5'])(
    '%s is out of range',
    async (query) => {
      const { status, data } = await list(query)
      expect([status, data.issues[0].path]).toEqual([400, query.split('=')[0]])
    },
  )

  test('limit is an alias of size and size wins', async () => {
    expect((await list('limit=2')).data.size).toBe(2)
    expect((await list('limit=2&size=3')).data.size).toBe(3)
    expect((await list('')).data.size).toBe(20)
  })

  test('the pages together contain all configs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), async (size) => {
        const found: string[] = []
        for (let page = 1; page <= Math.ceil(keys.length / size); page++) {
          const { data } = await list(`q=list.&size=${size}&page=${page}`)
          expect(data).toMatchObject({ total: 6, total_pages: Math.ceil(6 / size) })
          found.push(...listKeys(data))
        }
        expect(found).toEqual(keys)
      }),
      { numRuns: 8 },
    )
  })
})
