import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

const facts = '/api/v1/internal/memory/facts'
const users = '/api/v1/internal/memory/users'

let at: Stage
beforeAll(async () => {
  at = await stage(memory)
  for (let n = 0; n < 23; n++)
    await postFact('paged', { entity_key: `k${n}`, content: `fact ${n}` })
})
afterAll(() => at.close())

const postFact = async (user_id: string, more: object) => {
  const body = { user_id, scope: 'global', category: 'preference', content: 'x', ...more }
  const { data, status } = await at.call('POST', facts, { body })
  expect(status).toBe(201)
  return data
}

describe('the facts of a user', () => {
  test('pages of any size together contain every fact once', async () => {
    const sizes = fc.integer({ min: 1, max: 30 })
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const keys: string[] = []
        for (let page = 1; ; page++) {
          const { data } = await at.call('GET', `${users}/paged/facts?page=${page}&size=${size}`)
          expect(data).toMatchObject({ page, size, total: 23, total_pages: Math.ceil(23 / size) })
          if (data.items.length === 0) break
          keys.push(...data.items.map((fact: any) => fact.entity_key))
        }
        expect(keys).toEqual(Array.from({ length: 23 }, (_, n) => `k${22 - n}`))
      }),
      { numRuns: 8 },
    )
  })

  test('cursors of any size together contain every fact once', async () => {
    for (const size of [1, 5, 23, 50]) {
      const keys: string[] = []
      let cursor: string | null = null
      for (let page = 1; page === 1 || cursor !== null; page++) {
        const position = cursor === null ? '' : `&cursor=${cursor}`
        const { data } = await at.call('GET', `${users}/paged/facts?size=${size}${position}`)
        expect(data).toMatchObject({ page, size, total: 23 })
        keys.push(...data.items.map((fact: any) => fact.entity_key))
        cursor = data.next_cursor
      }
      expect(keys).toEqual(Array.from({ length: 23 }, (_, n) => `k${22 - n}`))
    }
  })

  test('a cursor skips and repeats nothing when facts are added and deleted', async () => {
    for (let n = 0; n < 6; n++) await postFact('moving', { entity_key: `m${n}` })
    const first = (await at.call('GET', `${users}/moving/facts?size=3`)).data
    await postFact('moving', { entity_key: 'new' })
    await at.call('DELETE', `${facts}/${first.items[2].id}`)
    const next = await at.call('GET', `${users}/moving/facts?size=3&cursor=${first.next_cursor}`)
    expect(next.data.items.map((fact: any) => fact.entity_key)).toEqual(['m2', 'm1', 'm0'])
    expect(next.data.next_cursor).toBe(null)
  })

  test('a cursor with page, a forged cursor and a cursor of another list are 400', async () => {
    const { next_cursor } = (await at.call('GET', `${users}/paged/facts?size=2`)).data
    const forge = (cursor: unknown) => btoa(JSON.stringify(cursor))
    for (const query of [
      `page=1&cursor=${next_cursor}`,
      'cursor=x',
      'cursor=%00',
      `cursor=${forge({ page: 1, keys: [] })}`,
      `cursor=${forge({
        page: 1,
        keys: [
          { value: 'x', type: 'uuid' },
          { value: '1', type: 'uuid' },
        ],
      })}`,
      `cursor=${forge({ page: 1, keys: [{ value: '1', type: 'text; drop table memory.facts' }] })}`,
      `cursor=${forge({ page: 0, keys: [] })}`,
    ]) {
      const { status, data } = await at.call('GET', `${users}/paged/facts?${query}`)
      expect([query, status, data.issues[0].path]).toEqual([query, 400, 'cursor'])
    }
  })

  test('a cursor shows nothing of another organization', async () => {
    const { next_cursor } = (await at.call('GET', `${users}/paged/facts?size=2`)).data
    const headers = { 'x-organization-id': 'other' }
    const path = `${users}/paged/facts?cursor=${next_cursor}`
    expect((await at.call('GET', path, { headers })).data).toMatchObject({ items: [], total: 0 })
  })

  test('limit is an alias of size and size wins', async () => {
    const size = async (query: string) =>
      (await at.call('GET', `${users}/paged/facts?${query}`)).data.size
    expect(await size('limit=3')).toBe(3)
    expect(await size('limit=3&size=4')).toBe(4)
    expect(await size('')).toBe(20)
  })

  test('a page past the end is empty, a page out of range is 400', async () => {
    const { status, data } = await at.call(
      'GET',
      `${users}/paged/facts?page=9007199254740991&size=200`,
    )
    expect([status, data.items, data.total]).toEqual([200, [], 23])
    for (const query of [
      'page=0',
      'page=-1',
      'page=x',
      'page=1.5',
      'size=0',
      'size=201',
      'limit=201',
      'page=',
    ]) {
      const response = await at.call('GET', `${users}/paged/facts?${query}`)
      expect([query, response.status, response.data.issues[0].path]).toEqual([
        query,
        400,
        query.split('=')[0],
      ])
    }
  })

  test('scope, case and category filter the list', async () => {
    await postFact('filtered', { entity_key: 'a', category: 'user_profile' })
    await postFact('filtered', { entity_key: 'b', scope: 'case', case_id: 9, category: 'evidence' })
    const total = async (query: string) =>
      (await at.call('GET', `${users}/filtered/facts?${query}`)).data.total
    expect(await total('')).toBe(2)
    expect(await total('scope=case')).toBe(1)
    expect(await total('case_id=9')).toBe(1)
    expect(await total('case_id=9&category=user_profile')).toBe(0)
    expect((await at.call('GET', `${users}/filtered/facts?category=x`)).status).toBe(400)
  })

  test('another organization gets an empty list', async () => {
    for (const list of ['facts', 'conflicts']) {
      const headers = { 'x-organization-id': 'other' }
      const { data } = await at.call('GET', `${users}/paged/${list}`, { headers })
      expect([data.items, data.total]).toEqual([[], 0])
      const anonymous = { 'x-organization-id': undefined }
      expect((await at.call('GET', `${users}/paged/${list}`, { headers: anonymous })).status).toBe(
        400,
      )
    }
  })
})

describe('the context of a user', () => {
  const context = async (query = '', user = 'known') =>
    (await at.call('GET', `${users}/${user}/context${query}`)).data

  beforeAll(async () => {
    await postFact('known', { entity_key: 'name', category: 'user_profile', content: '张三' })
    await postFact('known', { entity_key: 'contact', content: 'by email' })
    await postFact('known', {
      entity_key: 'sum',
      category: 'summary',
      content: 'A patient client.',
    })
    for (const case_id of ['C-1', 'C-2']) {
      await postFact('known', {
        entity_key: 'amount',
        scope: 'case',
        case_id,
        category: 'case_detail',
      })
      await postFact('known', { entity_key: 'iou', scope: 'case', case_id, category: 'evidence' })
    }
  })

  test('the context groups facts by category and case', async () => {
    const data = await context()
    expect(data.profile.map((fact: any) => fact.content)).toEqual(['张三'])
    expect(data.preferences.map((fact: any) => fact.content)).toEqual(['by email'])
    expect(data.summary).toBe('A patient client.')
    expect(data.cases.map((each: any) => [each.case_id, each.facts.length])).toEqual([
      ['C-2', 2],
      ['C-1', 2],
    ])
  })

  test('the context of one case excludes other cases', async () => {
    const data = await context('?case_id=C-1')
    expect(data.cases.map((each: any) => each.case_id)).toEqual(['C-1'])
    expect(data.profile).toHaveLength(1)
  })

  test('the context of an unknown user is empty', async () => {
    const empty = { user_id: 'nobody', profile: [], preferences: [], cases: [], summary: '' }
    expect(await context('', 'nobody')).toEqual(empty)
  })

  test('the context as JSON is at most max_chars long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 100, max: 4_000 }), async (limit) => {
        expect(JSON.stringify(await context(`?max_chars=${limit}`)).length).toBeLessThanOrEqual(
          limit,
        )
      }),
      { numRuns: 15 },
    )
    expect((await at.call('GET', `${users}/known/context?max_chars=0`)).status).toBe(400)
  })
})

test('extract accepts any body and returns no facts', async () => {
  const emptyResponse = { success: true, facts: [], count: 0, error: null }
  for (const body of [{ text: 'x' }, [], 'text', null, undefined]) {
    const { status, data } = await at.call('POST', '/api/v1/internal/memory/extract', { body })
    expect([status, data]).toEqual([200, emptyResponse])
  }
})
