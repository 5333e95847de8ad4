import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'ada' },
  })
})
afterAll(() => at.close())

const unknownId = '01900000-0000-7000-8000-000000000000'

describe.each([
  ['/api/v1/tags', 'tag', { group_id: null }],
  ['/api/v1/tag-groups', 'tag_group', {}],
  ['/api/v1/categories', 'category', { parent_id: null }],
  ['/api/v1/domains', 'domain', {}],
])('%s', (path, subject, reference) => {
  const make = (body: object, headers = {}) => at.call('POST', path, { body, headers })

  test('a new key creates a record', async () => {
    const { status, data } = await make({ key: 'civil', name: '民事' })
    expect(status).toBe(201)
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      key: 'civil',
      name: '民事',
      description: '',
      created_at: expect.any(String),
      updated_at: data.created_at,
      ...reference,
    })
    expect((await at.call('GET', `${path}/${data.id}`)).data).toEqual(data)
    expect((await at.call('GET', `${path}/${data.id.toUpperCase()}`)).data).toEqual(data)
  })

  test('an existing key is 409, also under concurrency', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => make({ key: 'raced', name: `name ${n}` })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect(responses.find(({ status }) => status === 409)?.code).toBe('CONFLICT')
  })

  test.each([
    ['key', { name: 'n' }],
    ['key', { key: 'two words', name: 'n' }],
    ['name', { key: 'k' }],
    ['name', { key: 'k', name: '' }],
    ['name', { key: 'k', name: 'n'.repeat(201) }],
    ['description', { key: 'k', name: 'n', description: 'd'.repeat(2_001) }],
    ['description', { key: 'k', name: 'n', description: null }],
  ])('a wrong %s is named', async (where, body) => {
    const { status, data } = await make(body)
    expect([status, data.issues[0].path]).toEqual([400, where])
  })

  test('omitted fields stay and the key can be updated', async () => {
    const { data } = await make({ key: 'edited', name: 'before', description: 'why' })
    const edit = (body: object) => at.call('PUT', `${path}/${data.id}`, { body })
    const renamed = await edit({ name: 'after' })
    expect(renamed.data).toMatchObject({ ...data, name: 'after', updated_at: expect.any(String) })
    expect((await edit({ key: 'edited.too' })).data.key).toBe('edited.too')
    expect((await edit({ description: '' })).data).toMatchObject({ name: 'after', description: '' })
    const before = (await at.call('GET', `${path}/${data.id}`)).data
    expect((await edit({})).data).toEqual(before)
    expect((await edit({ name: '' })).status).toBe(400)
  })

  test('updating to an existing key is 409', async () => {
    await make({ key: 'mine', name: 'n' })
    const { data } = await make({ key: 'yours', name: 'n' })
    const { status, code } = await at.call('PUT', `${path}/${data.id}`, { body: { key: 'mine' } })
    expect([status, code]).toEqual([409, 'CONFLICT'])
    expect((await at.call('GET', `${path}/${data.id}`)).data.key).toBe('yours')
  })

  test.each([unknownId, 'no-id', "' or true --"])('the id %s is 404', async (id) => {
    const where = `${path}/${encodeURIComponent(id)}`
    expect((await at.call('GET', where)).status).toBe(404)
    expect((await at.call('PUT', where, { body: { name: 'n' } })).status).toBe(404)
    expect((await at.call('DELETE', where)).status).toBe(404)
  })

  test('a second delete is 404 and the key can be reused', async () => {
    const { data } = await make({ key: 'gone', name: 'n' })
    const first = await at.call('DELETE', `${path}/${data.id}`)
    expect([first.status, first.data]).toEqual([200, { deleted: true }])
    expect((await at.call('DELETE', `${path}/${data.id}`)).status).toBe(404)
    expect((await make({ key: 'gone', name: 'n' })).status).toBe(201)
  })

  test('duplicates with an Idempotency-Key create one record, another body is 409', async () => {
    const headers = { 'idempotency-key': 'k' }
    const body = { key: 'idempotent', name: 'n' }
    const responses = await Promise.all(Array.from({ length: 6 }, () => make(body, headers)))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]!.status).toBe(201)
    const other = await make({ ...body, name: 'other' }, headers)
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
  })

  test('SQL in a text is stored as text', async () => {
    const name = `'); drop table platform.tags; --`
    const description = '$1 \\ " \' % _ {a,"b"} 🙂'
    const { data } = await make({ key: 'injected', name, description })
    expect((await at.call('GET', `${path}/${data.id}`)).data).toMatchObject({ name, description })
  })

  test('every write is audited with the record id', async () => {
    const { data } = await make({ key: 'audited', name: 'n' })
    await at.call('PUT', `${path}/${data.id}`, { body: { key: 'audited.too' } })
    await at.call('PUT', `${path}/${data.id}`, { body: {} })
    await at.call('DELETE', `${path}/${data.id.toUpperCase()}`)
    const resource = encodeURIComponent(`${subject}:${data.id}`)
    const log = await at.call('GET', `/api/v1/audit-logs?resource=${resource}`, {
      headers: { 'x-organization-id': undefined },
    })
    expect(
      log.data.items.map(({ actor, action, details }: Record<string, unknown>) => [
        actor,
        action,
        details,
      ]),
    ).toEqual([
      ['ada', `${subject}.deleted`, { key: 'audited.too' }],
      ['ada', `${subject}.updated`, { key: 'audited.too' }],
      ['ada', `${subject}.created`, { key: 'audited' }],
    ])
  })

  test('the pages together contain all records by key', async () => {
    const allItems = (await at.call('GET', `${path}?size=200`)).data
    const keys = allItems.items.map(({ key }: { key: string }) => key)
    expect(keys).toEqual(keys.toSorted())
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: allItems.total + 1 }), async (size) => {
        const found = []
        for (let page = 1; page <= Math.ceil(allItems.total / size); page++) {
          found.push(...(await at.call('GET', `${path}?limit=${size}&page=${page}`)).data.items)
        }
        expect(found).toEqual(allItems.items)
      }),
      { numRuns: 5 },
    )
    expect((await at.call('GET', `${path}?page=1000`)).data).toMatchObject({
      items: [],
      total: allItems.total,
    })
    for (const query of ['page=0', 'size=201', 'page=1e9999', 'size=ten']) {
      expect((await at.call('GET', `${path}?${query}`)).status).toBe(400)
    }
  })
})

describe('the group of a tag', () => {
  const make = async (path: string, body: object) =>
    (await at.call('POST', `/api/v1/${path}`, { body: { name: 'n', ...body } })).data

  test('an unknown reference is 400', async () => {
    const body = { key: 'lost', name: 'n', group_id: unknownId }
    const response = await at.call('POST', '/api/v1/tags', { body })
    expect([response.status, response.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(response.data.issues[0].path).toBe('group_id')
    const { id } = await make('tags', { key: 'found' })
    const edited = await at.call('PUT', `/api/v1/tags/${id}`, { body: { group_id: unknownId } })
    expect([edited.status, edited.data.issues[0].path]).toEqual([400, 'group_id'])
    const strange = await at.call('POST', '/api/v1/tags', { body: { ...body, group_id: 'g' } })
    expect([strange.status, strange.data.issues[0].path]).toEqual([400, 'group_id'])
  })

  test('group_id filters the list', async () => {
    const group = await make('tag-groups', { key: 'narrow' })
    const tags = []
    for (const key of ['g.1', 'g.2', 'g.3']) {
      tags.push(await make('tags', { key, group_id: group.id }))
    }
    const { data } = await at.call('GET', `/api/v1/tags?group_id=${group.id}&size=2`)
    expect(data).toEqual({
      items: tags.slice(0, 2),
      page: 1,
      size: 2,
      total: 3,
      total_pages: 2,
      next_cursor: expect.any(String),
    })
    expect((await at.call('GET', `/api/v1/tags?group_id=${unknownId}`)).data.total).toBe(0)
    expect((await at.call('GET', '/api/v1/tags?group_id=1 or 1=1')).status).toBe(400)
  })

  test('a group with tags cannot be deleted', async () => {
    const group = await make('tag-groups', { key: 'kept' })
    const tag = await make('tags', { key: 'inside', group_id: group.id })
    const remove = () => at.call('DELETE', `/api/v1/tag-groups/${group.id}`)
    const refused = await remove()
    expect([refused.status, refused.code]).toEqual([409, 'CONFLICT'])
    expect(refused.message).toContain('tags')
    const left = await at.call('PUT', `/api/v1/tags/${tag.id}`, { body: { group_id: null } })
    expect(left.data.group_id).toBe(null)
    expect((await remove()).status).toBe(200)
  })

  test('a group is not deleted while a tag is added', async () => {
    for (let n = 0; n < 5; n++) {
      const group = await make('tag-groups', { key: `contended.${n}` })
      const [joined, deleted] = await Promise.all([
        at.call('POST', '/api/v1/tags', {
          body: { key: `joining.${n}`, name: 'n', group_id: group.id },
        }),
        at.call('DELETE', `/api/v1/tag-groups/${group.id}`),
      ])
      expect([joined.status === 201, deleted.status === 200].filter(Boolean)).toHaveLength(1)
    }
  })
})
