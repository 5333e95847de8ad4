import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

const facts = '/api/v1/internal/memory/facts'
const path = '/api/v1/internal/memory/reconcile'

let at: Stage
beforeAll(async () => {
  at = await stage(memory)
})
afterAll(() => at.close())

let cases = 0
const newCase = () => `case-${++cases}`
const buildFact = (entity_key: string, content: string) => ({
  entity_key,
  content,
  category: 'case_detail',
})
const reconcile = (case_id: string, list: object[], more = {}) =>
  at.call('POST', path, { body: { user_id: 'u', case_id, facts: list, ...more } })
const inMemory = async (case_id: string) => {
  const query = `case_id=${case_id}&size=200`
  const { data } = await at.call('GET', `/api/v1/internal/memory/users/u/facts?${query}`)
  return Object.fromEntries(data.items.map((fact: any) => [fact.entity_key, fact.content]))
}
const counts = (created: number, updated: number, unchanged: number, deleted: number) => ({
  created,
  updated,
  unchanged,
  deleted,
})

describe('reconcile', () => {
  test('reconcile creates, updates, keeps and deletes facts and counts each', async () => {
    const at = newCase()
    expect(
      (await reconcile(at, [buildFact('a', '1'), buildFact('b', '2'), buildFact('c', '3')])).data,
    ).toEqual(counts(3, 0, 0, 0))
    const again = [buildFact('a', '1'), buildFact('b', '22'), buildFact('d', '4')]
    expect((await reconcile(at, again)).data).toEqual(counts(1, 1, 1, 1))
    expect(await inMemory(at)).toEqual({ a: '1', b: '22', d: '4' })
    expect((await reconcile(at, again)).data).toEqual(counts(0, 0, 3, 0))
    expect((await reconcile(at, [])).data).toEqual(counts(0, 0, 0, 3))
  })

  test('reconcile keeps facts of other sources and takes over their keys with a conflict', async () => {
    const case_id = newCase()
    const userFact = {
      user_id: 'u',
      scope: 'case',
      case_id,
      source: 'assistant',
      ...buildFact('held', 'said'),
    }
    const { data: stored } = await at.call('POST', facts, { body: userFact })
    await at.call('POST', facts, { body: { ...userFact, entity_key: 'free' } })
    expect((await reconcile(case_id, [buildFact('held', 'proved')])).data).toEqual(
      counts(0, 1, 0, 0),
    )
    const { data } = await at.call('GET', `${facts}/${stored.id}`)
    expect(data).toMatchObject({ content: 'proved', source: 'matter', has_conflict: true })
    const { data: conflicts } = await at.call('GET', '/api/v1/internal/memory/users/u/conflicts')
    expect(conflicts.items[0]).toMatchObject({
      fact_id: stored.id,
      previous: { content: 'said' },
      current: { content: 'proved' },
      resolution: 'matter_wins',
    })
    expect((await reconcile(case_id, [])).data.deleted).toBe(1)
    expect(await inMemory(case_id)).toEqual({ free: 'said' })
  })

  test('a matter that changes its own fact causes no conflict', async () => {
    const at = newCase()
    await reconcile(at, [buildFact('own', '1')])
    expect((await reconcile(at, [buildFact('own', '2')])).data.updated).toBe(1)
    expect(
      (await reconcile(at, [{ ...buildFact('own', '2'), confidence: 0.4 }])).data.updated,
    ).toBe(1)
    expect(
      (await reconcile(at, [{ ...buildFact('own', '2'), confidence: 0.4 }])).data.unchanged,
    ).toBe(1)
  })

  test('an older matter_version changes nothing', async () => {
    const at = newCase()
    await reconcile(at, [buildFact('a', 'new')], { matter_version: 5 })
    expect((await reconcile(at, [buildFact('a', 'old')], { matter_version: 4 })).data).toEqual(
      counts(0, 0, 0, 0),
    )
    expect(await inMemory(at)).toEqual({ a: 'new' })
    expect(
      (await reconcile(at, [buildFact('a', 'newer')], { matter_version: 5 })).data.updated,
    ).toBe(1)
  })

  test('a failing reconcile changes nothing', async () => {
    const at = newCase()
    await reconcile(at, [buildFact('a', '1')])
    const twice = await reconcile(at, [buildFact('b', '1'), buildFact('b', '2')])
    expect([twice.status, twice.data.issues[0].path]).toEqual([400, 'facts.1.entity_key'])
    const bad = await reconcile(at, [buildFact('c', '1'), buildFact('d', '')])
    expect([bad.status, bad.data.issues[0].path]).toEqual([400, 'facts.1.content'])
    expect(await inMemory(at)).toEqual({ a: '1' })
  })

  test('after reconcile the matter facts equal the request for any previous state', async () => {
    const lists = fc.uniqueArray(
      fc.record({
        entity_key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        content: fc.constantFrom('1', '2'),
      }),
      { selector: (fact) => fact.entity_key },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(lists, { minLength: 1, maxLength: 4 }), async (states) => {
        const at = newCase()
        for (const state of states)
          await reconcile(
            at,
            state.map((fact) => buildFact(fact.entity_key, fact.content)),
          )
        const last = states.at(-1)!
        expect(await inMemory(at)).toEqual(
          Object.fromEntries(last.map((fact) => [fact.entity_key, fact.content])),
        )
      }),
      { numRuns: 10 },
    )
  })

  test('concurrent reconciles in any order end in the newest version', async () => {
    const at = newCase()
    const versions = [3, 1, 5, 2, 4]
    const responses = await Promise.all(
      versions.map((version) =>
        reconcile(at, [buildFact('state', `v${version}`), buildFact(`only${version}`, 'x')], {
          matter_version: version,
        }),
      ),
    )
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(await inMemory(at)).toEqual({ state: 'v5', only5: 'x' })
  })
})
