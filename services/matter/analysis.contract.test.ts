import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { internal, type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const paths = {
  evidences: 'evidences/submit-analysis',
  sufficiency: 'sufficiency/submit',
  issues: 'issues/submit',
  strategies: 'strategies/submit',
  risk_assessment: 'risk-assessment/submit',
}
const none = Object.fromEntries(Object.keys(paths).map((kind) => [kind, false]))

const allocate = (id: string, body: object = {}) =>
  at.post(`${internal}/${id}/analysis/versions/allocate`, body)
const latest = (id: string) => at.read(`${internal}/${id}/analysis/versions/latest`)
const submit = (id: string, kind: keyof typeof paths, body: object) =>
  at.post(`${internal}/${id}/${paths[kind]}`, body)

describe('analysis versions', () => {
  test('versions of a matter count from 1', async () => {
    const [one, two] = [await at.createMatter(), await at.createMatter()]
    expect(await latest(one.id)).toEqual({ version: 0, submitted: none })
    for (const version of [1, 2, 3]) {
      const { status, data } = await allocate(one.id, { kind: 'evidence' })
      expect([status, data]).toEqual([200, { version }])
    }
    expect((await allocate(two.id)).data).toEqual({ version: 1 })
    expect((await latest(one.id)).version).toBe(3)
    expect(await at.timeline(one.id)).toMatchObject({
      events: [
        { type: 'analysis.allocated', actor: 'ai-engine', from: { analysis_version: 2 } },
        {},
        {},
        {},
      ],
    })
  })

  test('a version is allocated without a body', async () => {
    const { id } = await at.createMatter()
    const { data } = await at.call('POST', `${internal}/${id}/analysis/versions/allocate`)
    expect(data).toEqual({ version: 1 })
  })

  test('fifty concurrent allocations return 1 to 50', async () => {
    const { id } = await at.createMatter()
    const responses = await Promise.all(Array.from({ length: 50 }, () => allocate(id)))
    const versions = responses.map(({ data }) => data.version).sort((a, b) => a - b)
    expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    expect((await at.matter(id)).version).toBe(51)
  })

  test('concurrent allocations with one allocation_key return one version', async () => {
    const { id } = await at.createMatter()
    const keys = ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']
    const responses = await Promise.all(
      keys.map((allocation_key) => allocate(id, { allocation_key })),
    )
    const versionsForKey = (key: string) =>
      new Set(responses.filter((_, n) => keys[n] === key).map(({ data }) => data.version))
    expect([...versionsForKey('a'), ...versionsForKey('b')].sort()).toEqual([1, 2])
    const again = await allocate(id, { allocation_key: 'a', kind: 'other' })
    expect(versionsForKey('a')).toEqual(new Set([again.data.version]))
    expect((await allocate(id)).data.version).toBe(3)
    expect((await at.matter(id)).version).toBe(4)
  })
})

describe.each(Object.keys(paths) as (keyof typeof paths)[])('submitting %s', (kind) => {
  test('items or a result are stored once per version', async () => {
    const { id } = await at.createMatter()
    await allocate(id)
    await allocate(id)
    const items = [{ name: '借条', weight: 1 }, 'text', null]
    const first = await submit(id, kind, { version: 1, items })
    expect([first.status, first.data]).toEqual([200, { version: 1, stored: 3 }])
    const { version } = await at.matter(id)
    const again = await submit(id, kind, {
      items: [{ weight: 1, name: '借条' }, 'text', null],
      version: 1,
    })
    expect([again.status, again.data]).toEqual([200, { version: 1, stored: 3 }])
    expect((await at.matter(id)).version).toBe(version)
    for (const other of [{ items: [] }, { result: {} }]) {
      const { status, code } = await submit(id, kind, { version: 1, ...other })
      expect([status, code]).toEqual([409, 'CONFLICT'])
    }
    const result = { score: 0.7, parts: [1] }
    expect((await submit(id, kind, { version: 2, result })).data).toEqual({ version: 2, stored: 1 })
    expect(await latest(id)).toEqual({ version: 2, submitted: { ...none, [kind]: true } })

    const read = await at.read(`${path}/${id}/analysis/1`)
    expect(read[kind]).toEqual({ items, result: null, submitted_at: expect.any(String) })
    expect((await at.read(`${path}/${id}/analysis/2`))[kind]).toMatchObject({ items: null, result })
  })

  test('submitting an unallocated version is 409', async () => {
    const { id } = await at.createMatter()
    for (const version of [1, 2_147_483_647]) {
      const { status, code } = await submit(id, kind, { version, items: [] })
      expect([status, code]).toEqual([409, 'CONFLICT'])
    }
    expect((await latest(id)).submitted).toEqual(none)
  })

  test('a body with both or neither of items and result is 400', async () => {
    const { id } = await at.createMatter()
    await allocate(id)
    const bodies = [
      { version: 1 },
      { version: 1, items: [], result: {} },
      { version: 1, items: {} },
      { version: 1, result: [] },
      { version: 0, items: [] },
      { version: 1e12, items: [] },
      { items: [] },
    ]
    for (const body of bodies) expect((await submit(id, kind, body)).status).toBe(400)
    expect((await submit(id, kind, { version: 1, items: [] })).data.stored).toBe(0)
  })

  test('of two concurrent submissions one is stored', async () => {
    const { id } = await at.createMatter()
    await allocate(id)
    const responses = await Promise.all(
      [1, 2].map((n) => submit(id, kind, { version: 1, items: [n] })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = responses.findIndex(({ status }) => status === 200) + 1
    expect((await at.read(`${path}/${id}/analysis/1`))[kind].items).toEqual([won])
  })
})

describe('reading analyses', () => {
  test('analysis versions are paged, newest first', async () => {
    const { id } = await at.createMatter()
    for (const kind of ['a', 'b', 'c']) await allocate(id, { kind })
    await submit(id, 'issues', { version: 2, items: [1] })
    const page = await at.read(`${path}/${id}/analysis?size=2`)
    expect(page).toMatchObject({ page: 1, size: 2, total: 3, total_pages: 2 })
    expect(page.items).toEqual([
      { version: 3, kind: 'c', submitted: none, created_at: expect.any(String) },
      {
        version: 2,
        kind: 'b',
        submitted: { ...none, issues: true },
        created_at: expect.any(String),
      },
    ])
  })

  test('missing submissions are null and an unknown version is 404', async () => {
    const { id } = await at.createMatter()
    await allocate(id)
    const { submitted, ...read } = await at.read(`${path}/${id}/analysis/1`)
    expect(submitted).toEqual(none)
    expect(Object.keys(paths).map((kind) => read[kind])).toEqual([null, null, null, null, null])
    for (const version of ['2', '0', '-1', 'x', '99999999999']) {
      expect((await at.call('GET', `${path}/${id}/analysis/${version}`)).status).toBe(404)
    }
  })
})
