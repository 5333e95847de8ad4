import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type CollectorStage,
  configsPackage,
  internal,
  stageCollector,
} from '../../../tests/support/collector.ts'
import { testProject } from '../../../tests/support/stage.ts'

if (testProject === 'workerd')
  console.warn('skipped: there are no directories of packages on workerd')

let at: CollectorStage
let packages = 0
let id = ''
beforeAll(async () => {
  at = await stageCollector()
})
afterAll(() => at.close())
beforeEach(() => {
  id = `package_${++packages}`
  at.targets.requests.length = 0
  at.targets.state.rejectBodiesWith.clear()
})

const counts = (created: number, updated = 0, unchanged = 0) => ({
  ...{ created, updated, unchanged, deleted: 0 },
})
const own = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${id}.${key}`, value]))
const put = (items: Record<string, Record<string, unknown>>, needs = {}) =>
  at.library.put(id, configsPackage(id, items, needs))

describe.skipIf(testProject === 'workerd')('an apply', () => {
  test('dry run, apply and second apply report planned, applied and unchanged', async () => {
    put({ one: own({ a: 1, b: 2 }), two: own({ c: 3 }) }, { two: ['one'] })
    const { data: dry } = await at.apply([id], { dry_run: true })
    expect(dry).toMatchObject({ dry_run: true, status: 'succeeded' })
    expect(dry.packages[0]).toMatchObject({
      package_id: id,
      version: '2026-01-31',
      status: 'planned',
    })
    expect(dry.packages[0].items).toMatchObject([
      { item_id: 'one', status: 'planned', counts: counts(2), error: null },
      { item_id: 'two', status: 'planned', counts: counts(1), error: null },
    ])
    expect(at.targets.writes()).toEqual([])

    const { status, data } = await at.apply([id])
    expect([status, data.status, data.plan_hash]).toEqual([200, 'succeeded', dry.plan_hash])
    expect(data.packages[0]).toMatchObject({
      status: 'applied',
      checksum: dry.packages[0].checksum,
    })
    expect(data.packages[0].items).toMatchObject([
      { status: 'applied', counts: counts(2) },
      { status: 'applied', counts: counts(1) },
    ])
    expect(at.targets.writes().map(({ body }) => body.configs.length)).toEqual([2, 1])
    expect(at.targets.requests[0]!.body.source).toEqual({ package_id: id, version: '2026-01-31' })

    at.targets.requests.length = 0
    const { data: again } = await at.apply([id])
    expect(again.packages[0]).toMatchObject({ status: 'unchanged' })
    expect(again.packages[0].items[0]).toMatchObject({
      status: 'unchanged',
      counts: counts(0, 0, 2),
    })
    expect(at.targets.requests).toEqual([])

    const { data: forced } = await at.apply([id], { force: true })
    expect(forced.packages[0]).toMatchObject({ status: 'applied' })
    expect(forced.packages[0].items[0]).toMatchObject({
      status: 'unchanged',
      counts: counts(0, 0, 2),
    })
  })

  test('an apply with an outdated plan hash gets PLAN_MOVED and changes nothing', async () => {
    put({ one: own({ a: 1 }) })
    const { data: dry } = await at.apply([id], { dry_run: true })
    put({ one: own({ a: 1, b: 2 }) })
    const moved = await at.apply([id], { expect_plan_hash: dry.plan_hash })
    expect([moved.status, moved.code]).toEqual([409, 'PLAN_MOVED'])
    const { data: next } = await at.apply([id], { dry_run: true })
    expect(moved.data.plan_hash).toBe(next.plan_hash)
    // Changes a target record, which also changes the plan.
    await at.targets.peer(
      new Request('http://peer/api/v1/internal/platform/configs/batch', {
        method: 'POST',
        body: JSON.stringify({ configs: [{ key: `${id}.a`, value: 9 }] }),
      }),
    )
    const other = await at.apply([id], { expect_plan_hash: next.plan_hash })
    expect([other.status, other.code]).toEqual([409, 'PLAN_MOVED'])
    const { data: now } = await at.apply([id], { dry_run: true })
    const done = await at.apply([id], { expect_plan_hash: now.plan_hash })
    expect([done.status, done.data.plan_hash]).toEqual([200, now.plan_hash])
    expect(done.data.packages[0].items[0].counts).toEqual(counts(1, 1))
    const { data: after } = await at.apply([id], { dry_run: true })
    expect(after.packages[0].status).toBe('unchanged')
    expect((await at.apply([id])).data.plan_hash).toBe(after.plan_hash)
  })

  test('an apply skips the dependents of a failed item and applies the others', async () => {
    put(
      { one: own({ a: 'refuse-me' }), two: own({ b: 1 }), three: own({ c: 1 }) },
      { two: ['one'], three: [] },
    )
    at.targets.state.rejectBodiesWith.add('refuse-me')
    const fine = `${id}_fine`
    at.library.put(fine, configsPackage(fine, { one: own({ fine: 1 }) }))
    const { status, data } = await at.apply([id, fine])
    expect([status, data.status]).toEqual([200, 'partial'])
    expect(data.packages.map((each: any) => each.status)).toEqual(['failed', 'applied'])
    expect(data.packages[0].items).toMatchObject([
      { status: 'failed', error: 'VALIDATION_FAILED: Stubbed fault.' },
      { status: 'skipped', error: null },
      { status: 'applied' },
    ])
    const { data: partial } = await at.apply([id])
    expect([partial.status, partial.packages[0].items[2].status]).toEqual(['failed', 'unchanged'])
    at.targets.state.rejectBodiesWith.clear()
    const { data: healed } = await at.apply([id])
    expect(healed.status).toBe('succeeded')
    expect(healed.packages[0].items.map((each: any) => each.status)).toEqual([
      ...['applied', 'applied', 'unchanged'],
    ])
  })

  test('an apply with one unknown or invalid package changes nothing', async () => {
    put({ one: own({ a: 1 }) })
    expect((await at.apply([id, 'nowhere'])).status).toBe(404)
    at.library.put(`${id}_odd`, { 'manifest.json': '[]' })
    const odd = await at.apply([id, `${id}_odd`])
    expect([odd.status, odd.code]).toEqual([422, 'MANIFEST_INVALID'])
    expect((await at.apply([])).status).toBe(400)
    expect(at.targets.requests).toEqual([])
  })

  test('an apply is recorded as a run, dry or not', async () => {
    put({ one: own({ a: 1 }) })
    const { data: dry } = await at.apply([id], { dry_run: true })
    const { data: run } = await at.apply([id])
    expect((await at.get(`${internal}/runs/${run.run_id}`)).data).toEqual(run)
    const { data } = await at.get(`${internal}/runs?package_id=${id}`)
    expect(data.items).toEqual([run, dry])
    expect((await at.get(`${internal}/runs/${crypto.randomUUID()}`)).status).toBe(404)
  })

  test('an apply with the same run_id or Idempotency-Key returns the same run', async () => {
    put({ one: own({ a: 1 }) })
    const run_id = crypto.randomUUID()
    const both = await Promise.all([at.apply([id], { run_id }), at.apply([id], { run_id })])
    expect(both[0].data).toEqual(both[1].data)
    put({ one: own({ a: 2 }) })
    expect((await at.apply([id], { run_id })).data).toEqual(both[0].data)
    const other = await at.apply([id], { run_id, force: true })
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])

    const headers = { 'idempotency-key': `key of ${id}` }
    const first = await at.apply([id], {}, headers)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const second = await at.apply([id], {}, headers)
    expect(second.data).toEqual(first.data)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await at.apply([id], { dry_run: true }, headers)).status).toBe(409)
    expect((await at.apply([id], {}, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400)
    expect(at.targets.writes()).toHaveLength(2)
  })

  test('an apply during another one gets 409 APPLY_IN_PROGRESS', async () => {
    put({ one: own({ a: 1 }), two: own({ b: 1 }) }, { two: ['one'] })
    const both = await Promise.all([
      at.apply([id], { force: true }),
      at.apply([id], { force: true }),
    ])
    const refused = both.filter(({ status }) => status !== 200)
    for (const { status, code, data } of refused) {
      expect([status, code]).toEqual([409, 'APPLY_IN_PROGRESS'])
      expect(data.package_id).toBe(id)
    }
    const keys = at.targets.writes().map(({ body }) => body.configs[0].key)
    const keysOnce = [`${id}.a`, `${id}.b`]
    expect(keys).toEqual(refused.length > 0 ? keysOnce : [...keysOnce, ...keysOnce])
  })
})

describe.skipIf(testProject === 'workerd')('a person', () => {
  const apply = (headers: Record<string, string | undefined>) =>
    at.post(
      `/api/v1/seed-packages/${id}/apply`,
      {},
      { 'x-internal-api-key': undefined, ...headers },
    )

  test('a user with collector:manage may apply a package', async () => {
    put({ one: own({ a: 1 }) })
    expect((await apply({})).status).toBe(401)
    expect((await apply({ 'x-user-id': 'u' })).status).toBe(403)
    const read = { 'x-user-id': 'u', 'x-permissions': 'collector:read' }
    expect((await apply(read)).code).toBe('FORBIDDEN')
    const manage = { 'x-user-id': 'u', 'x-permissions': 'a:b, collector:manage' }
    const { status, data } = await apply(manage)
    expect([status, data.requested_by, data.packages[0].status]).toEqual([200, 'u', 'applied'])
    expect((await apply({ 'x-user-id': 'u', 'x-is-superuser': 'true' })).status).toBe(200)
  })

  test('an apply at an internal path needs only the key', async () => {
    put({ one: own({ a: 1 }) })
    for (const root of ['/internal/collector', '/api/v1/internal/collector']) {
      const path = `${root}/seed-packages/${id}/apply`
      expect((await at.post(path, { dry_run: true })).status).toBe(200)
      expect((await at.post(path, {}, { 'x-internal-api-key': undefined })).status).toBe(401)
    }
    const bare = await at.call('POST', `/internal/collector/seed-packages/${id}/apply`)
    expect(bare.status).toBe(200)
  })
})
