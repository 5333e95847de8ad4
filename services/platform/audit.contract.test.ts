import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import platform from './service.ts'

const internal = '/api/v1/internal/platform/audit-logs'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, { headers: { 'x-permissions': 'platform:manage' } })
})
afterAll(() => at.close())

const entry = { actor: 'ada', action: 'matter.opened', resource: 'matter:1' }

const under = (organization: string | undefined) => ({ 'x-organization-id': organization })
const append = (organization: string | undefined, entries: unknown, body: object = {}) =>
  at.call('POST', internal, { body: { ...body, entries }, headers: under(organization) })
const list = (organization: string | undefined, query = 'size=200') =>
  at.call('GET', `/api/v1/audit-logs?${query}`, { headers: under(organization) })
const verify = async (organization: string | undefined) =>
  (await at.call('GET', '/api/v1/audit-logs/verify', { headers: under(organization) })).data

describe('appending to the audit log', () => {
  test('appended entries form a chain whose hashes can be recomputed', async () => {
    const { status, data } = await append('chain', [
      { ...entry, actor: 7, details: { b: 1, a: { d: [], c: null } } },
      entry,
    ])
    expect([status, data.appended]).toEqual([200, 2])
    const { items } = (await list('chain')).data
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual([2, 1])
    expect(items[1]).toMatchObject({ ...entry, actor: '7', organization_id: 'chain' })
    expect(items[0]).toMatchObject({ ...entry, details: {}, hash: data.last_hash })

    let before = '0'.repeat(64)
    for (const { hash, ...entry } of items.toReversed()) {
      const { organization_id, seq, id, actor, action, resource, details, created_at } = entry
      const hashedFields = [
        organization_id,
        seq,
        id,
        actor,
        action,
        resource,
        details,
        created_at,
        before,
      ]
      expect(entry.prev_hash).toBe(before)
      expect(hash).toBe(await sha256Hex(canonicalJson(hashedFields)))
      before = hash
    }
  })

  test('a batch continues the chain of the previous batch', async () => {
    const first = await append('on', [entry])
    await append('on', [entry, entry])
    const { items } = (await list('on')).data
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual([3, 2, 1])
    expect(items[1].prev_hash).toBe(first.data.last_hash)
  })

  test('concurrent appends form one valid chain', async () => {
    const sizes = Array.from({ length: 16 }, (_, n) => 1 + (n % 4))
    const responses = await Promise.all(
      sizes.map((size, n) =>
        append('crowd', Array(size).fill({ ...entry, resource: `batch:${n}` })),
      ),
    )
    expect(responses.map(({ data }) => data.appended)).toEqual(sizes)
    expect(await verify('crowd')).toEqual({
      valid: true,
      checked: 40,
      first_broken: null,
      reason: null,
    })
    const { items } = (await list('crowd')).data
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 40 }, (_, n) => 40 - n),
    )
    const batches = items.map(({ resource }: { resource: string }) => resource)
    const runs = batches.filter((each: string, n: number) => each !== batches[n - 1])
    expect(runs).toHaveLength(16)
  })

  test.each([
    ['entries', undefined],
    ['entries', []],
    ['entries', Array(501).fill(entry)],
    ['entries.1.actor', [entry, { ...entry, actor: '' }]],
    ['entries.0.action', [{ ...entry, action: undefined }]],
    ['entries.0.action', [{ ...entry, action: 'a'.repeat(201) }]],
    ['entries.0.resource', [{ ...entry, resource: 'r'.repeat(501) }]],
    ['entries.0.details', [{ ...entry, details: [] }]],
    ['entries.0.details', [{ ...entry, details: null }]],
  ])('with a wrong %s is refused as a whole', async (where, entries) => {
    const { status, data } = await append('refused', entries)
    expect([status, data.issues[0].path]).toEqual([400, where])
    expect(await verify('refused')).toMatchObject({ valid: true, checked: 0 })
  })

  test('appending without the internal key is 401', async () => {
    const headers = { 'x-internal-api-key': undefined }
    const { status } = await at.call('POST', internal, { body: { entries: [entry] }, headers })
    expect(status).toBe(401)
  })

  test('any JSON details are returned unchanged and match their hash', async () => {
    const details = `{
      "zeros": [-0, 0.0, 1.0, 1e0],
      "large": [1e21, 1.7976931348623157e308, 9007199254740993],
      "small": [5e-324, 1e-7, 0.1],
      "b": "names that are numbers come first", "10": 1, "9": 2,
      "text": "\\u2028 \\" \\\\ 法 🙂 \\u0001",
      "nested": {"__proto__": {"a": 1}, "constructor": [], "": {}, "toJSON": "x"}
    }`
    const raw = JSON.stringify({ entries: [entry] }).replace('}]', `,"details":${details}}]`)
    const headers = { ...under('json'), 'content-type': 'application/json' }
    expect((await at.call('POST', internal, { raw, headers })).status).toBe(200)
    const { items } = (await list('json')).data
    expect(items[0].details).toEqual(JSON.parse(JSON.stringify(JSON.parse(details))))
    expect(await verify('json')).toMatchObject({ valid: true, checked: 1 })
  })
})

describe('tenancy of the audit log', () => {
  test('an organization reads and verifies only its own chain', async () => {
    await append('mine', [entry])
    await append('yours', [entry, entry])
    expect((await list('mine')).data.total).toBe(1)
    expect((await list('nobody')).data.total).toBe(0)
    expect((await list("mine' or '1'='1")).data.total).toBe(0)
    expect(await verify('yours')).toMatchObject({ valid: true, checked: 2 })
    expect(await verify('nobody')).toMatchObject({ valid: true, checked: 0 })
  })

  test('the organization may be in the body; a contradiction with the header is 400', async () => {
    await append(undefined, [entry], { organization_id: 42 })
    await append('42', [entry], { organization_id: '42' })
    expect((await list('42')).data.total).toBe(2)
    const { status, data } = await append('43', [entry], { organization_id: 42 })
    expect([status, data.issues[0].path]).toEqual([400, 'organization_id'])
    expect((await list('43')).data.total).toBe(0)
  })

  test('without an organization the platform chain is used', async () => {
    await append(undefined, [{ ...entry, resource: 'platform:1' }])
    const { items } = (await list(undefined, 'resource=platform:1')).data
    expect(items).toMatchObject([{ organization_id: 'platform' }])
  })
})

describe('reading the audit log', () => {
  beforeAll(async () => {
    await append('read', [
      { actor: 'ada', action: 'a.made', resource: 'r:1' },
      { actor: 'bob', action: 'a.made', resource: 'r:2' },
      { actor: 'ada', action: 'a.gone', resource: 'r:2' },
    ])
  })
  const seqs = async (query: string) =>
    (await list('read', query)).data.items.map(({ seq }: { seq: number }) => seq)

  test('filters match exactly and are combined', async () => {
    expect(await seqs('')).toEqual([3, 2, 1])
    expect(await seqs('actor=ada')).toEqual([3, 1])
    expect(await seqs('action=a.made')).toEqual([2, 1])
    expect(await seqs('resource=r:2')).toEqual([3, 2])
    expect(await seqs('actor=ada&resource=r:2')).toEqual([3])
    for (const none of ['actor=ad', 'action=%25', "resource=' or 1=1 --", 'actor=']) {
      expect(await seqs(none)).toEqual([])
    }
  })

  test('from is inclusive and to is exclusive', async () => {
    const { items } = (await list('read')).data
    const first = items.at(-1).created_at
    const next = new Date(Date.parse(items[0].created_at) + 1).toISOString()
    expect(await seqs(`from=${first}`)).toEqual([3, 2, 1])
    expect(await seqs(`to=${first}`)).toEqual([])
    expect(await seqs(`from=${first}&to=${next}`)).toEqual([3, 2, 1])
    expect(await seqs(`from=${next}`)).toEqual([])
    const east = new Date(Date.parse(first) + 8 * 3_600_000).toISOString().replace('Z', '+08:00')
    expect(await seqs(`from=${encodeURIComponent(east)}`)).toEqual([3, 2, 1])
  })

  test.each([
    '0000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+23:59',
    '2024-02-29T12:00:00.123456789Z',
  ])('the moment %s is before all of them', async (moment) => {
    expect(await seqs(`from=${encodeURIComponent(moment)}`)).toEqual([3, 2, 1])
    expect(await seqs(`to=${encodeURIComponent(moment)}`)).toEqual([])
  })

  test.each(['yesterday', '2024-13-01T00:00:00Z', '2023-02-29T00:00:00Z', '2024-01-01', "'; --"])(
    '%s is no moment',
    async (moment) => {
      const { status, data } = await list('read', `to=${encodeURIComponent(moment)}`)
      expect([status, data.issues[0].path]).toEqual([400, 'to'])
    },
  )

  test('the pages together contain the whole log', async () => {
    await append(
      'pages',
      Array.from({ length: 23 }, (_, n) => ({ ...entry, resource: `r:${n}` })),
    )
    const allItems = (await list('pages')).data.items
    expect(allItems).toHaveLength(23)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 24 }), async (size) => {
        const found = []
        for (let page = 1; page <= Math.ceil(23 / size); page++) {
          found.push(...(await list('pages', `size=${size}&page=${page}`)).data.items)
        }
        expect(found).toEqual(allItems)
      }),
      { numRuns: 6 },
    )
    expect((await list('pages', 'page=3')).data.items).toEqual([])
    for (const query of ['page=0', 'size=201']) {
      expect((await list('pages', query)).status).toBe(400)
    }
  })
})

test('updating, deleting and truncating the log fail', async () => {
  await append('fixed', [entry])
  for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
    const { status, headers } = await at.call(method, '/api/v1/audit-logs', { body: {} })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  const refused = /append-only/
  await expect(at.sql`update platform.audit_logs set actor = 'eve'`).rejects.toThrow(refused)
  await expect(at.sql`delete from platform.audit_logs`).rejects.toThrow(refused)
  await expect(at.sql`truncate platform.audit_logs`).rejects.toThrow(refused)
  expect(await verify('fixed')).toMatchObject({ valid: true, checked: 1 })
})

test('concurrent platform writes keep the chain valid', async () => {
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      at.call('POST', n % 2 ? '/api/v1/domains' : '/api/v1/feature-flags', {
        body: { key: `k${n}`, name: 'n' },
        headers: n % 3 ? {} : { 'idempotency-key': `k${n}` },
      }),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(201))
  expect(await verify(undefined)).toMatchObject({ valid: true })
})

test('a rejected write records no entry', async () => {
  await at.call('POST', '/api/v1/domains', { body: { key: 'twice', name: 'n' } })
  const { total } = (await list(undefined)).data
  await at.call('POST', '/api/v1/domains', { body: { key: 'twice', name: 'n' } })
  await at.call('POST', '/api/v1/configs', { body: { key: 'no.value' } })
  expect((await list(undefined)).data.total).toBe(total)
})
