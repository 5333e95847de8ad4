import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startStandIn } from '../../../tests/support/qdrant-stand-in/server.ts'
import { makeQdrantClient, type QdrantClient } from './client.ts'
import { applyChange, createCollection, type Point } from './collection.ts'
import {
  buildFilter,
  denseVectorName,
  filterableMetadata,
  sparseVector,
  sparseVectorName,
} from './point.ts'

let server: Awaited<ReturnType<typeof startStandIn>>
let qdrant: QdrantClient
const index = { collection: 'chunks', model: 'BAAI/m', dims: 2 }
beforeAll(async () => {
  server = await startStandIn('secret')
  qdrant = makeQdrantClient({ url: server.url, key: 'secret', timeoutMs: 5_000 })
  await createCollection(qdrant, index)
})
afterAll(() => server.stop())

const points = () => [...server.standIn.collections.get('chunks')!.points.keys()]
const point = (id: number, meaning = [1, 0], words = sparseVector('a text')): Point => ({
  ...{ id, payload: { kb: 1 } },
  vector: { [sparseVectorName]: words, [denseVectorName('BAAI/m')]: meaning },
})
const change = (some: readonly Point[]) => ({ points: some, deleted: [], bases: [] })

describe('a collection', () => {
  test('the ids of rejected points are returned and all other points are stored', async () => {
    const some = [1, 2, 3, 4, 5].map((id) => point(id, id === 4 ? [1, 0, 0] : [1, 0]))
    expect(await applyChange(qdrant, 'chunks', change(some))).toEqual([4])
    expect(points()).toEqual([1, 2, 3, 5])
  })

  test('if every point is rejected, applyChange throws', async () => {
    const some = Array.from({ length: 9 }, (_, id) => point(100 + id, [1]))
    await expect(applyChange(qdrant, 'chunks', change(some))).rejects.toThrow(/rejects every point/)
  })

  test('large points are sent in several requests', async () => {
    const long = sparseVector(Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' '))
    const upsert = vi.spyOn(qdrant.background, 'upsert')
    const some = Array.from({ length: 9 }, (_, id) => point(200 + id, [1, 0], long))
    expect(await applyChange(qdrant, 'chunks', change(some))).toEqual([])
    expect(upsert).toHaveBeenCalledTimes(3)
    expect(points()).toEqual(expect.arrayContaining([200, 208]))
  })

  test('deleting a base deletes all its points', async () => {
    await applyChange(qdrant, 'chunks', { points: [], deleted: [], bases: [1] })
    expect(points()).toEqual([])
  })

  test('a request without the API key fails with 401', async () => {
    const stranger = makeQdrantClient({ url: server.url, key: undefined, timeoutMs: 5_000 })
    await expect(createCollection(stranger, index)).rejects.toMatchObject({ status: 401 })
  })
})

test('Qdrant metadata filters use only booleans and short strings of a chunk or its document', () => {
  const payload = filterableMetadata(
    { court: 'x', year: 2020, long: 'y'.repeat(300), 'odd key': 'z' },
    { court: 'y', final: true },
  )
  expect(payload).toEqual({ court: ['x', 'y'], final: [true] })
  const metadata = { court: 'x', final: true, year: 2020, 'odd key': 'z' }
  const { must } = buildFilter([1], { metadata }, '2020-01-01')
  expect(must.filter((each) => JSON.stringify(each).includes('metadata'))).toEqual([
    { key: 'metadata.court', match: { value: 'x' } },
    { key: 'metadata.final', match: { value: true } },
  ])
})
