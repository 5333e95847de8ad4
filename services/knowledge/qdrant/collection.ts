import * as z from 'zod'
import { anything, type Qdrant, QdrantError } from './client.ts'
import type { Engine } from './engine.ts'
import type { Index } from './indexes.ts'
import { byWords, meaningOf } from './point.ts'

/** Nobody waits for these; still, what hangs must not keep the others for long. */
const patienceMs = 10_000

/** What filters ask of a point. */
const fields = {
  kb: 'integer',
  document_id: 'keyword',
  doc_type: 'keyword',
  section_id: 'keyword',
  from: 'integer',
  to: 'integer',
}

/** Makes the collection of our chunks; there is none yet. */
export async function create(qdrant: Qdrant, { collection, model, dims }: Index): Promise<void> {
  const vectors =
    model === null ? {} : { [meaningOf(model)]: { size: dims, distance: 'Cosine' as const } }
  const sparse_vectors = { [byWords]: { modifier: 'idf' } }
  const path = `/collections/${collection}`
  await qdrant.ask(anything, 'PUT', path, { vectors, sparse_vectors }, patienceMs)
  for (const [field_name, field_schema] of Object.entries(fields)) {
    const field = { field_name, field_schema }
    await qdrant.ask(anything, 'PUT', `${path}/index?wait=true`, field, patienceMs)
  }
}

export interface Point {
  id: number
  vector: Record<string, readonly number[] | { indices: number[]; values: number[] }>
  payload: object
}

/** What some points are now, and which are none any more; of all of a base where it is gone. */
export interface Change {
  points: readonly Point[]
  gone: readonly number[]
  bases: readonly number[]
}

/** Tells a collection of a change; says which points it does not take. */
export async function tell(
  qdrant: Qdrant,
  collection: string,
  { points, gone, bases }: Change,
): Promise<number[]> {
  const path = `/collections/${collection}/points`
  const send = (method: string, to: string, body: object) =>
    qdrant.ask(anything, method, `${to}?wait=true`, body, patienceMs)
  const refused: number[] = []
  const put = async (some: readonly Point[]): Promise<void> => {
    try {
      await send('PUT', path, { points: some })
    } catch (thrown) {
      if (!(thrown instanceof QdrantError && thrown.refused)) throw thrown
      // One that is refused must not keep the others from their places.
      if (some.length === 1) return void refused.push(some[0]!.id)
      const half = some.length >> 1
      await put(some.slice(0, half))
      await put(some.slice(half))
    }
  }
  for (const some of bySize(points)) await put(some)
  if (points.length >= 8 && refused.length === points.length) {
    throw new Error(`Qdrant takes no point into ${collection}: were its vectors of another model?`)
  }
  if (gone.length > 0) await send('POST', `${path}/delete`, { points: gone })
  for (const kb of bases) {
    const filter = { must: [{ key: 'kb', match: { value: kb } }] }
    await send('POST', `${path}/delete`, { filter })
  }
  return refused
}

/** Numbers that go into one request: well below what a server takes. */
const mostNumbers = 400_000

function bySize(points: readonly Point[]): Point[][] {
  const slices: Point[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const point of points) {
    const own = Object.values(point.vector).reduce((sum, vector) => sum + numbersIn(vector), 100)
    if (size + own > mostNumbers) {
      slices.push([])
      size = 0
    }
    slices.at(-1)!.push(point)
    size += own
  }
  return slices
}

const numbersIn = (vector: Point['vector'][string]) =>
  'indices' in vector ? vector.indices.length * 2 : vector.length

/** Searches go to a collection from now on, in one step. */
export async function leadTo(
  { qdrant, alias }: Engine,
  before: string | undefined,
  { collection }: Index,
): Promise<void> {
  const actions = [
    ...(before === undefined ? [] : [{ delete_alias: { alias_name: alias } }]),
    { create_alias: { collection_name: collection, alias_name: alias } },
  ]
  await qdrant.ask(anything, 'POST', '/collections/aliases', { actions }, patienceMs)
}

const Count = z.object({ count: z.int() })

export const countIn = async (qdrant: Qdrant, collection: string) =>
  (
    await qdrant.ask(
      Count,
      'POST',
      `/collections/${collection}/points/count`,
      { exact: true },
      patienceMs,
    )
  ).count

const Marked = z.object({
  id: z.int(),
  payload: z.object({ mark: z.string().optional() }).nullish(),
})
const Page = z.object({ points: z.array(Marked), next_page_offset: z.int().nullish() })

const marksOf = (points: readonly z.infer<typeof Marked>[]) =>
  new Map(points.map(({ id, payload }) => [id, payload?.mark ?? '']))

/** The marks of some points by id, in order; and where the next ones begin. */
export async function scroll(qdrant: Qdrant, collection: string, offset: number, limit: number) {
  const path = `/collections/${collection}/points/scroll`
  const asked = { limit, offset, with_payload: ['mark'], with_vector: false }
  const { points, next_page_offset } = await qdrant.ask(Page, 'POST', path, asked, patienceMs)
  return { marks: marksOf(points), next: next_page_offset ?? undefined }
}

/** The marks of the points that are there. */
export async function marksIn(qdrant: Qdrant, collection: string, ids: readonly number[]) {
  const asked = { ids, with_payload: ['mark'], with_vector: false }
  const path = `/collections/${collection}/points`
  return marksOf(await qdrant.ask(z.array(Marked), 'POST', path, asked, patienceMs))
}
