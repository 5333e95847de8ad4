import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const path = '/api/v1/categories'
const unknownId = '01900000-0000-7000-8000-000000000000'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, { headers: { 'x-permissions': 'platform:manage' } })
})
afterAll(() => at.close())
beforeEach(() => at.sql`delete from platform.categories`)

type Tree = { id: string; key: string; parent_id: string | null; children: Tree[] }
type Shape = { [key: string]: Shape }

async function make(key: string, parent_id?: string | null): Promise<string> {
  const { status, data } = await at.call('POST', path, { body: { key, name: key, parent_id } })
  expect(status).toBe(201)
  return data.id
}
const move = (id: string, parent_id: string | null) =>
  at.call('PUT', `${path}/${id}`, { body: { parent_id } })
const list = async (query = 'size=200') => (await at.call('GET', `${path}?${query}`)).data
const treeShape = (items: Tree[]): Shape =>
  Object.fromEntries(items.map(({ key, children }) => [key, treeShape(children)]))

describe('the tree of categories', () => {
  test('children are listed below their parent by key', async () => {
    const b = await make('b')
    const a = await make('a', null)
    await make('a.2', a)
    const deep = await make('a.1', a)
    await make('a.1.1', deep)
    await make('b.1', b)
    const { items, total } = await list()
    expect(total).toBe(2)
    expect(JSON.stringify(treeShape(items))).toBe(
      JSON.stringify({ a: { 'a.1': { 'a.1.1': {} }, 'a.2': {} }, b: { 'b.1': {} } }),
    )
    expect(items[0].children[0].parent_id).toBe(a)
  })

  test('the list pages roots with complete subtrees', async () => {
    for (const key of ['r1', 'r2', 'r3']) await make(`${key}.child`, await make(key))
    const first = await list('size=2')
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, total_pages: 2 })
    expect(treeShape(first.items)).toEqual({ r1: { 'r1.child': {} }, r2: { 'r2.child': {} } })
    expect(treeShape((await list('size=2&page=2')).items)).toEqual({ r3: { 'r3.child': {} } })
    expect((await list('size=2&page=3')).items).toEqual([])
  })

  test('a single category is returned without children', async () => {
    const root = await make('root')
    await make('leaf', root)
    const { data } = await at.call('GET', `${path}/${root}`)
    expect(data).toMatchObject({ id: root, parent_id: null })
    expect(data).not.toHaveProperty('children')
  })
})

describe('the parent of a category', () => {
  test('an unknown reference is 400', async () => {
    const body = { key: 'lost', name: 'n', parent_id: unknownId }
    const response = await at.call('POST', path, { body })
    expect([response.status, response.data.issues[0].path]).toEqual([400, 'parent_id'])
    const moved = await move(await make('found'), unknownId)
    expect([moved.status, moved.data.issues[0].path]).toEqual([400, 'parent_id'])
  })

  test('a category cannot be moved below itself', async () => {
    const top = await make('top')
    const middle = await make('middle', top)
    const bottom = await make('bottom', middle)
    for (const parent of [top, middle, bottom]) {
      const { status, code, data } = await move(top, parent)
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
      expect(data.issues[0].path).toBe('parent_id')
    }
    expect((await move(bottom, top)).status).toBe(200)
    expect((await move(middle, null)).data.parent_id).toBe(null)
    expect(treeShape((await list()).items)).toEqual({ middle: {}, top: { bottom: {} } })
  })

  test('concurrent moves cannot form a cycle', async () => {
    for (let n = 0; n < 5; n++) {
      const a = await make(`a.${n}`)
      const b = await make(`b.${n}`)
      const responses = await Promise.all([move(a, b), move(b, a)])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  test('a category with children cannot be deleted', async () => {
    const parent = await make('parent')
    const child = await make('child', parent)
    const refused = await at.call('DELETE', `${path}/${parent}`)
    expect([refused.status, refused.code]).toEqual([409, 'CONFLICT'])
    expect(refused.message).toContain('children')
    expect((await at.call('DELETE', `${path}/${child}`)).status).toBe(200)
    expect((await at.call('DELETE', `${path}/${parent}`)).status).toBe(200)
  })

  test('a category is not deleted while a child is added', async () => {
    for (let n = 0; n < 5; n++) {
      const parent = await make(`parent.${n}`)
      const [joined, deleted] = await Promise.all([
        at.call('POST', path, { body: { key: `child.${n}`, name: 'n', parent_id: parent } }),
        at.call('DELETE', `${path}/${parent}`),
      ])
      expect([joined.status === 201, deleted.status === 200].filter(Boolean)).toHaveLength(1)
    }
  })

  test('the tree is limited to 100 levels', async () => {
    let maxDepthPath = await make('level.1')
    for (let level = 2; level <= 99; level++)
      maxDepthPath = await make(`level.${level}`, maxDepthPath)
    const pair = await make('pair')
    await make('pair.child', pair)
    const refused = await move(pair, maxDepthPath)
    expect([refused.status, refused.data.issues[0].path]).toEqual([400, 'parent_id'])
    maxDepthPath = await make('level.100', maxDepthPath)
    const body = { key: 'level.101', name: 'n', parent_id: maxDepthPath }
    expect((await at.call('POST', path, { body })).status).toBe(400)
    expect((await list()).items).toHaveLength(2)
  })
})

test('after any moves the categories form a tree', async () => {
  const nodes = 6
  const step = fc.tuple(fc.nat(nodes - 1), fc.option(fc.nat(nodes - 1)))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await at.sql`delete from platform.categories`
      const ids: string[] = []
      for (let n = 0; n < nodes; n++) ids.push(await make(`n${n}`))
      const parents: (number | null)[] = Array(nodes).fill(null)
      const isBelow = (node: number | null, above: number): boolean =>
        node !== null && (node === above || isBelow(parents[node]!, above))

      for (const [node, parent] of steps) {
        const circular = isBelow(parent, node)
        const { status } = await move(ids[node]!, parent === null ? null : ids[parent]!)
        expect(status).toBe(circular ? 400 : 200)
        if (!circular) parents[node] = parent
      }
      const shape = (above: number | null): Shape =>
        Object.fromEntries(
          parents.flatMap((parent, node) => (parent === above ? [[`n${node}`, shape(node)]] : [])),
        )
      expect(treeShape((await list()).items)).toEqual(shape(null))
    }),
    { numRuns: 20 },
  )
})
