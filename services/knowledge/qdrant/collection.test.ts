import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStandIn } from '../../../tests/support/qdrant-stand-in/server.ts'
import { makeQdrant, type Qdrant } from './client.ts'
import { create, type Point, tell } from './collection.ts'
import { byWords, filterable, filterOf, meaningOf, sparseOf } from './point.ts'

let server: Awaited<ReturnType<typeof startStandIn>>
let qdrant: Qdrant
const index = { collection: 'chunks', model: 'BAAI/m', dims: 2 }
beforeAll(async () => {
  server = await startStandIn('secret')
  qdrant = makeQdrant({ url: server.url, key: 'secret', timeoutMs: 5_000 })
  await create(qdrant, index)
})
afterAll(() => server.stop())

const points = () => [...server.standIn.collections.get('chunks')!.points.keys()]
const point = (id: number, meaning = [1, 0], words = sparseOf('a text')): Point => ({
  ...{ id, payload: { kb: 1 } },
  vector: { [byWords]: words, [meaningOf('BAAI/m')]: meaning },
})
const change = (some: readonly Point[]) => ({ points: some, gone: [], bases: [] })

describe('a collection', () => {
  test('takes all points but those it refuses, and says which', async () => {
    const some = [1, 2, 3, 4, 5].map((id) => point(id, id === 4 ? [1, 0, 0] : [1, 0]))
    expect(await tell(qdrant, 'chunks', change(some))).toEqual([4])
    expect(points()).toEqual([1, 2, 3, 5])
  })

  test('that takes none is an error, not so many refusals', async () => {
    const some = Array.from({ length: 9 }, (_, id) => point(100 + id, [1]))
    await expect(tell(qdrant, 'chunks', change(some))).rejects.toThrow(/takes no point/)
  })

  test('is told of long texts in several requests', async () => {
    const long = sparseOf(Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' '))
    let requests = 0
    const counting: Qdrant = {
      ...qdrant,
      ask: (...asked) => {
        requests++
        return qdrant.ask(...asked)
      },
    }
    const some = Array.from({ length: 9 }, (_, id) => point(200 + id, [1, 0], long))
    expect(await tell(counting, 'chunks', change(some))).toEqual([])
    expect(requests).toBe(3)
    expect(points()).toEqual(expect.arrayContaining([200, 208]))
  })

  test('loses a base whole', async () => {
    await tell(qdrant, 'chunks', { points: [], gone: [], bases: [1] })
    expect(points()).toEqual([])
  })

  test('is asked with its key', async () => {
    const stranger = makeQdrant({ url: server.url, key: undefined, timeoutMs: 5_000 })
    await expect(create(stranger, index)).rejects.toThrow(/401/)
  })
})

test('metadata is asked of a chunk or its document, where it is plain', () => {
  const payload = filterable(
    { court: 'x', year: 2020, long: 'y'.repeat(300), 'odd key': 'z' },
    { court: 'y', final: true },
  )
  expect(payload).toEqual({ court: ['x', 'y'], final: [true] })
  const metadata = { court: 'x', final: true, year: 2020, 'odd key': 'z' }
  const { must } = filterOf([1], { metadata }, '2020-01-01')
  expect(must.filter((each) => JSON.stringify(each).includes('metadata'))).toEqual([
    { key: 'metadata.court', match: { value: 'x' } },
    { key: 'metadata.final', match: { value: true } },
  ])
})
