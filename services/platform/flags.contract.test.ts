import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const path = '/api/v1/feature-flags'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'ada' },
  })
})
afterAll(() => at.close())

const make = (body: object, headers = {}) => at.call('POST', path, { body, headers })
const evaluate = (body: object, organization?: string) =>
  at.call('POST', '/api/v1/internal/platform/feature-flags/evaluate', {
    body,
    headers: { 'x-organization-id': organization, 'x-permissions': undefined },
  })

describe('creating a flag', () => {
  test('a new flag is disabled without rules', async () => {
    const { status, data, headers } = await make({ key: 'plain' })
    expect(status).toBe(201)
    expect(data).toMatchObject({
      key: 'plain',
      enabled: false,
      description: '',
      rules: [],
      version: 1,
    })
    expect(headers.get('etag')).toBe('"1"')
  })

  test('numeric ids in rules are stored as text', async () => {
    const rules = [{ organization_ids: [7, 'b'], user_ids: [], percentage: 12.5 }, {}]
    const { data } = await make({ key: 'ruled', enabled: true, rules })
    expect(data.rules).toEqual([{ ...rules[0], organization_ids: ['7', 'b'] }, {}])
  })

  test('an existing key is 409', async () => {
    await make({ key: 'taken' })
    const { status, code } = await make({ key: 'taken', enabled: true })
    expect([status, code]).toEqual([409, 'CONFLICT'])
  })

  test('of concurrent creations one succeeds', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => make({ key: 'raced' })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test('an Idempotency-Key returns the first response', async () => {
    const headers = { 'idempotency-key': 'flag' }
    const first = await make({ key: 'idempotent' }, headers)
    const again = await make({ key: 'idempotent' }, headers)
    const other = await make({ key: 'idempotent', enabled: true }, headers)
    expect([again.status, again.data]).toEqual([201, first.data])
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
  })

  test.each([
    ['key', {}],
    ['key', { key: 'two words' }],
    ['enabled', { key: 'k', enabled: 'yes' }],
    ['rules', { key: 'k', rules: {} }],
    ['rules', { key: 'k', rules: Array(101).fill({}) }],
    ['rules.0.percentage', { key: 'k', rules: [{ percentage: 101 }] }],
    ['rules.0.percentage', { key: 'k', rules: [{ percentage: -1 }] }],
    ['rules.1.user_ids.0', { key: 'k', rules: [{}, { user_ids: [''] }] }],
    ['rules.0.organization_ids', { key: 'k', rules: [{ organization_ids: 'a' }] }],
  ])('a wrong %s is named', async (where, body) => {
    const { status, data } = await make(body)
    expect([status, data.issues[0].path]).toEqual([400, where])
  })
})

describe('reading flags', () => {
  test('a flag is returned by key, an unknown key is 404', async () => {
    const { data } = await make({ key: 'read' })
    expect((await at.call('GET', `${path}/read`)).data).toEqual(data)
    for (const key of ['unknown', "' or true --"]) {
      expect((await at.call('GET', `${path}/${encodeURIComponent(key)}`)).status).toBe(404)
    }
  })

  test('the pages together contain all records by key', async () => {
    const allFlags = (await at.call('GET', `${path}?size=200`)).data
    const keys = allFlags.items.map(({ key }: { key: string }) => key)
    expect(keys).toEqual(keys.toSorted())
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: allFlags.total + 1 }), async (size) => {
        const found = []
        for (let page = 1; page <= Math.ceil(allFlags.total / size); page++) {
          found.push(...(await at.call('GET', `${path}?size=${size}&page=${page}`)).data.items)
        }
        expect(found).toEqual(allFlags.items)
      }),
      { numRuns: 5 },
    )
    expect((await at.call('GET', `${path}?page=1000`)).data.items).toEqual([])
    expect((await at.call('GET', `${path}?size=500`)).status).toBe(400)
  })
})

describe('reading flags without platform:manage', () => {
  const rules = [
    { organization_ids: ['acme', 'rival'] },
    { user_ids: ['u-1', 'u-2'] },
    { organization_ids: ['rival'], percentage: 50 },
    { percentage: 10 },
  ]
  const read = async (headers: Record<string, string | undefined>) => {
    const sent = { 'x-is-superuser': undefined, 'x-permissions': undefined, ...headers }
    const one = await at.call('GET', '/api/v1/feature-flags/redacted', { headers: sent })
    const list = await at.call('GET', '/api/v1/feature-flags?size=200', { headers: sent })
    expect(list.data.items.find((flag: any) => flag.key === 'redacted')).toEqual(one.data)
    return one.data
  }

  test('rules of others are hidden and flags without an own rule are disabled', async () => {
    const body = { key: 'redacted', enabled: true, rules }
    await at.call('POST', '/api/v1/feature-flags', { body, headers: { 'x-is-superuser': 'true' } })
    expect((await read({ 'x-organization-id': 'acme', 'x-user-id': 'u-1' })).rules).toEqual([
      { organization_ids: ['acme'] },
      { user_ids: ['u-1'] },
      { percentage: 10 },
    ])
    expect((await read({ 'x-organization-id': 'other' })).rules).toEqual([{ percentage: 10 }])
    expect((await read({ 'x-is-superuser': 'true' })).rules).toEqual(rules)

    const only = { rules: [{ organization_ids: ['rival'] }] }
    const headers = { 'x-permissions': 'platform:manage' }
    await at.call('PUT', '/api/v1/feature-flags/redacted', { body: only, headers })
    expect(await read({})).toMatchObject({ enabled: false, rules: [] })
    await at.call('DELETE', '/api/v1/feature-flags/redacted', { headers })
  })
})

describe('updating a flag', () => {
  test('omitted fields stay and rules are replaced', async () => {
    await make({ key: 'edited', enabled: true, description: 'why', rules: [{ percentage: 5 }, {}] })
    const edit = (body: object) => at.call('PUT', `${path}/edited`, { body })
    expect((await edit({ enabled: false })).data).toMatchObject({
      enabled: false,
      description: 'why',
      rules: [{ percentage: 5 }, {}],
      version: 2,
    })
    expect((await edit({ rules: [{ user_ids: ['u'] }] })).data.rules).toEqual([{ user_ids: ['u'] }])
    expect((await edit({ rules: [], description: '' })).data).toMatchObject({
      rules: [],
      description: '',
      version: 4,
    })
    expect((await edit({})).data.version).toBe(4)
  })

  test('a stale If-Match changes nothing, the current one updates', async () => {
    await make({ key: 'matched' })
    const put = (tag: string) =>
      at.call('PUT', `${path}/matched`, { body: { enabled: true }, headers: { 'if-match': tag } })
    expect(await put('"2"')).toMatchObject({ status: 409, code: 'VERSION_CONFLICT' })
    expect((await at.call('GET', `${path}/matched`)).data.enabled).toBe(false)
    expect(await put('"1"')).toMatchObject({ status: 200, data: { enabled: true, version: 2 } })
    const stale = await at.call('DELETE', `${path}/matched`, { headers: { 'if-match': '"1"' } })
    expect(stale.code).toBe('VERSION_CONFLICT')
    const gone = await at.call('DELETE', `${path}/matched`, { headers: { 'if-match': '"2"' } })
    expect(gone.data).toEqual({ deleted: true })
    expect((await at.call('DELETE', `${path}/matched`)).status).toBe(404)
    expect((await put('*')).status).toBe(404)
  })

  test('every write is audited', async () => {
    await make({ key: 'audited' })
    await at.call('PUT', `${path}/audited`, { body: { enabled: true } })
    await at.call('PUT', `${path}/audited`, { body: {} })
    await at.call('DELETE', `${path}/audited`)
    const { data } = await at.call('GET', '/api/v1/audit-logs?resource=feature_flag:audited', {
      headers: { 'x-organization-id': undefined },
    })
    expect(
      data.items.map(({ action, details }: Record<string, unknown>) => [action, details]),
    ).toEqual([
      ['feature_flag.deleted', { version: 2 }],
      ['feature_flag.updated', { version: 2 }],
      ['feature_flag.created', { version: 1 }],
    ])
  })
})

describe('evaluating flags', () => {
  beforeAll(async () => {
    await make({ key: 'e.everybody', enabled: true })
    await make({ key: 'e.nobody', enabled: false, rules: [{ percentage: 100 }] })
    await make({
      key: 'e.some',
      enabled: true,
      rules: [{ organization_ids: ['acme'], user_ids: [7] }, { organization_ids: ['other'] }],
    })
  })
  const keys = ['e.everybody', 'e.nobody', 'e.some']

  test('rules are combined by or, their members by and', async () => {
    const some = async (body: object) => (await evaluate({ ...body, keys })).data.flags['e.some']
    expect(await some({ user_id: 7, organization_id: 'acme' })).toBe(true)
    expect(await some({ user_id: '8', organization_id: 'acme' })).toBe(false)
    expect(await some({ organization_id: 'other' })).toBe(true)
    expect(await some({ user_id: 7 })).toBe(false)
  })

  test('requested flags are returned, unknown ones as off', async () => {
    const strange = ['unknown', '__proto__', 'constructor', "') or true --", '{"a"}', ',NULL,']
    const { status, data } = await evaluate({ user_id: 1, keys: [...keys, ...strange] })
    expect(status).toBe(200)
    expect(Object.entries(data.flags).sort()).toEqual(
      [
        ...strange.map((key) => [key, false]),
        ['e.everybody', true],
        ['e.nobody', false],
        ['e.some', false],
      ].sort(),
    )
    expect((await evaluate({ keys: [] })).data).toEqual({ flags: {} })
  })

  test('without keys every flag is evaluated', async () => {
    const { total } = (await at.call('GET', path)).data
    const { flags } = (await evaluate({})).data
    expect(Object.keys(flags)).toHaveLength(total)
    expect(flags).toMatchObject({ 'e.everybody': true, 'e.nobody': false })
  })

  test('the organization may come from the header; a contradiction is 400', async () => {
    expect((await evaluate({ keys }, 'other')).data.flags['e.some']).toBe(true)
    const same = await evaluate({ keys, organization_id: 'other' }, 'other')
    expect(same.data.flags['e.some']).toBe(true)
    const { status, data } = await evaluate({ keys, organization_id: 'acme' }, 'other')
    expect([status, data.issues[0].path]).toEqual([400, 'organization_id'])
  })

  test.each([
    ['keys', { keys: 'e.some' }],
    ['keys.0', { keys: [''] }],
    ['keys', { keys: Array(1_001).fill('k') }],
    ['user_id', { user_id: {} }],
  ])('a wrong %s is named', async (where, body) => {
    const { status, data } = await evaluate(body)
    expect([status, data.issues[0].path]).toEqual([400, where])
  })
})
