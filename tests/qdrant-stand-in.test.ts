import { afterAll, describe, expect, test } from 'vitest'
import { startQdrant } from './support/qdrant.ts'
import { startStandIn } from './support/qdrant-stand-in/server.ts'

/** Runs the same requests against the stand-in and, if available, a real Qdrant. */
const standIn = await startStandIn()
const real = await startQdrant()
if (typeof real === 'string') console.warn(`skipped: ${real}`)
const servers = [
  { name: 'the stand-in', url: standIn.url },
  ...(typeof real === 'string' ? [] : [{ name: 'Qdrant', url: real.url }]),
]
afterAll(async () => {
  await standIn.stop()
  if (typeof real !== 'string') await real.stop()
})

describe.each(servers)('$name', ({ url }) => {
  const name = `c${crypto.randomUUID().slice(0, 8)}`
  const alias = `a${name}`
  const path = `/collections/${name}`
  const request = async (method: string, to: string, body?: unknown) => {
    const response = await fetch(url + to, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const result = text.startsWith('{') ? JSON.parse(text).result : undefined
    return { status: response.status, result }
  }
  const requestStatus = async (...args: Parameters<typeof request>) =>
    (await request(...args)).status
  const put = (points: unknown) => request('PUT', `${path}/points?wait=true`, { points })
  const query = (search: object) =>
    request('POST', `${path}/points/query/batch`, { searches: [search] })
  const pointIds = (answer: any) => answer.result[0].points.map(({ id }: { id: number }) => id)
  const sparseVector = (...entries: [number, number][]) => ({
    indices: entries.map(([index]) => index),
    values: entries.map(([, value]) => value),
  })
  const config = {
    vectors: { meaning: { size: 3, distance: 'Cosine' } },
    sparse_vectors: { words: { modifier: 'idf' } },
  }

  test('returns 404 before a collection is created and 409 when it is created twice', async () => {
    expect((await request('GET', `${path}/exists`)).result).toEqual({ exists: false })
    expect(await requestStatus('POST', `${path}/points/count`, { exact: true })).toBe(404)
    expect(
      await requestStatus('POST', `${path}/points/query/batch`, {
        searches: [{ query: [1, 0, 0], using: 'meaning', limit: 1 }],
      }),
    ).toBe(404)
    expect(await request('PUT', path, config)).toEqual({ status: 200, result: true })
    expect(await requestStatus('PUT', path, config)).toBe(409)
    expect((await request('GET', `${path}/exists`)).result).toEqual({ exists: true })
    const field = { field_name: 'kb', field_schema: 'integer' }
    expect(await requestStatus('PUT', `${path}/index?wait=true`, field)).toBe(200)
    expect((await request('DELETE', `/collections/no-${name}`)).result).toBe(false)
  })

  test('rejects points with invalid vectors or ids', async () => {
    const point = (vector: unknown, id: unknown = 9) => [{ id, vector, payload: {} }]
    expect((await put(point({ meaning: [1, 2] }))).status).toBe(400)
    expect((await put(point({ other: [1, 2, 3] }))).status).toBe(400)
    expect((await put(point({ words: [1, 2, 3] }))).status).toBe(400)
    expect((await put(point({ meaning: sparseVector([1, 1]) }))).status).toBe(400)
    expect((await put(point({ words: sparseVector([1, 1]) }, -1))).status).toBe(400)
    expect((await put(point({ words: sparseVector([1, 1]) }, 'x'))).status).toBe(400)
    expect((await put('x')).status).toBe(400)
    for (const bad of [sparseVector([1, 1], [1, 2]), { indices: [1], values: [1, 2] }]) {
      expect((await put(point({ words: bad }))).status).toBeGreaterThanOrEqual(400)
    }
    expect((await request('POST', `${path}/points/count`, { exact: true })).result.count).toBe(0)
  })

  test('ranks sparse queries by IDF and dense queries by cosine similarity', async () => {
    const at = (id: number, meaning: number[] | undefined, sparse: object, payload: object) => ({
      ...{ id, payload },
      vector: { words: sparse, ...(meaning ? { meaning } : {}) },
    })
    const put4 = await put([
      at(1, [1, 0, 0], sparseVector([7, 1], [8, 1]), { kb: 1, tag: ['a', 'b'], from: 20200101 }),
      at(2, [0, 2, 0], sparseVector([7, 1], [4_000_000_000, 2]), {
        kb: 1,
        tag: 'b',
        fingerprint: 'm',
      }),
      at(2 ** 33 + 5, [1, 1, 0], sparseVector([7, 1]), { kb: 2, to: 20210101 }),
      at(4, undefined, sparseVector([9, 1]), { kb: 3, deep: { flag: [true] } }),
    ])
    expect(put4).toMatchObject({ status: 200, result: { status: 'completed' } })
    const rare = await query({
      query: sparseVector([7, 1], [4_000_000_000, 1]),
      using: 'words',
      limit: 10,
    })
    expect(pointIds(rare)[0]).toBe(2)
    const scores = rare.result[0].points.map(({ score }: any) => score)
    const idf = (documentFrequency: number) =>
      Math.log((4 - documentFrequency + 0.5) / (documentFrequency + 0.5) + 1)
    expect(scores[0]).toBeCloseTo(idf(3) + 2 * idf(1), 4)
    expect(scores[1]).toBeCloseTo(idf(3), 4)
    expect(scores).toHaveLength(3)
    const near = await query({ query: [0, 1, 0], using: 'meaning', limit: 2 })
    expect(pointIds(near)).toEqual([2, 2 ** 33 + 5])
    expect(near.result[0].points[1].score).toBeCloseTo(Math.SQRT1_2, 4)
    expect((await query({ query: [0, 1], using: 'meaning', limit: 2 })).status).toBe(400)
    expect((await query({ query: [0, 1, 0], using: 'nothing', limit: 2 })).status).toBe(400)
    const twice = sparseVector([7, 1], [7, 1])
    expect((await query({ query: twice, using: 'words', limit: 2 })).status).toBeGreaterThanOrEqual(
      400,
    )
  })

  test('filters by payload', async () => {
    const searchIds = async (...must: object[]) => {
      const all = sparseVector([7, 1], [9, 1])
      return pointIds(
        await query({ query: all, using: 'words', filter: { must }, limit: 10 }),
      ).sort()
    }
    const last = 2 ** 33 + 5
    expect(await searchIds({ key: 'kb', match: { any: [1, 3] } })).toEqual([1, 2, 4])
    expect(await searchIds({ key: 'kb', match: { any: [] } })).toEqual([])
    expect(await searchIds({ key: 'tag', match: { value: 'b' } })).toEqual([1, 2])
    expect(await searchIds({ key: 'deep.flag', match: { value: true } })).toEqual([4])
    const unless = (key: string, range: object) => ({
      should: [{ is_empty: { key } }, { key, range }],
    })
    expect(await searchIds(unless('from', { lte: 20191231 }))).toEqual([2, 4, last])
    expect(await searchIds(unless('from', { lte: 20200101 }))).toEqual([1, 2, 4, last])
    expect(await searchIds(unless('to', { gt: 20210101 }))).toEqual([1, 2, 4])
  })

  test('scrolls through points in order of id', async () => {
    const scroll = (more: object) =>
      request('POST', `${path}/points/scroll`, {
        with_payload: ['fingerprint'],
        with_vector: false,
        ...more,
      })
    const first = await scroll({ limit: 2, offset: 0 })
    expect(first.result).toMatchObject({
      points: [
        { id: 1, payload: {} },
        { id: 2, payload: { fingerprint: 'm' } },
      ],
      next_page_offset: 4,
    })
    const rest = await scroll({ limit: 2, offset: 4 })
    expect(rest.result.points.map(({ id }: any) => id)).toEqual([4, 2 ** 33 + 5])
    expect(rest.result.next_page_offset).toBe(null)
    const some = await request('POST', `${path}/points`, {
      ...{ ids: [2, 99], with_payload: ['fingerprint'], with_vector: false },
    })
    expect(some.result).toMatchObject([{ id: 2, payload: { fingerprint: 'm' } }])
    expect(some.result).toHaveLength(1)
  })

  test('switches an alias in one request', async () => {
    const updateAliases = (...actions: object[]) =>
      request('POST', '/collections/aliases', { actions })
    const to = (collection_name: string) => ({
      create_alias: { collection_name, alias_name: alias },
    })
    expect((await updateAliases(to(`no-${name}`))).status).toBe(404)
    expect((await updateAliases(to(name))).result).toBe(true)
    expect((await request('GET', `/collections/${alias}/exists`)).result).toEqual({ exists: true })
    expect((await updateAliases({ delete_alias: { alias_name: `no-${alias}` } })).status).toBe(200)
    const countPoints = () => request('POST', `/collections/${alias}/points/count`, { exact: true })
    expect((await countPoints()).result.count).toBe(4)
    await request('PUT', `${path}2`, config)
    await updateAliases({ delete_alias: { alias_name: alias } }, to(`${name}2`))
    expect((await countPoints()).result.count).toBe(0)
    const own = (await request('GET', '/aliases')).result.aliases.filter(
      (each: any) => each.alias_name === alias,
    )
    expect(own).toEqual([{ alias_name: alias, collection_name: `${name}2` }])
    expect((await request('DELETE', `${path}2`)).result).toBe(true)
    expect((await countPoints()).status).toBe(404)
  })

  test('deletes by id and by filter', async () => {
    const remove = (body: object) => requestStatus('POST', `${path}/points/delete?wait=true`, body)
    expect(await remove({ points: [1, 77] })).toBe(200)
    expect(await remove({ filter: { must: [{ key: 'kb', match: { value: 3 } }] } })).toBe(200)
    const { result } = await request('POST', `${path}/points/scroll`, { limit: 9 })
    expect(result.points.map(({ id }: any) => id)).toEqual([2, 2 ** 33 + 5])
    expect((await request('DELETE', path)).result).toBe(true)
    expect((await request('GET', `${path}/exists`)).result).toEqual({ exists: false })
  })
})
