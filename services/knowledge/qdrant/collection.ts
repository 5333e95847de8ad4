import * as z from 'zod'
import { anything, type QdrantClient, QdrantError } from './client.ts'
import type { QdrantCollection } from './collections.ts'
import { denseVectorName, sparseVectorName } from './point.ts'
import type { QdrantSearch } from './search-qdrant.ts'

/** Nobody waits for these; still, what hangs must not keep the others for long. */
const timeoutMs = 10_000

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
export async function createCollection(
  qdrant: QdrantClient,
  { collection, model, dims }: QdrantCollection,
): Promise<void> {
  const vectors =
    model === null ? {} : { [denseVectorName(model)]: { size: dims, distance: 'Cosine' as const } }
  const sparse_vectors = { [sparseVectorName]: { modifier: 'idf' } }
  const path = `/collections/${collection}`
  await qdrant.request(anything, 'PUT', path, { vectors, sparse_vectors }, timeoutMs)
  for (const [field_name, field_schema] of Object.entries(fields)) {
    const field = { field_name, field_schema }
    await qdrant.request(anything, 'PUT', `${path}/index?wait=true`, field, timeoutMs)
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
  deleted: readonly number[]
  bases: readonly number[]
}

/** Tells a collection of a change; says which points it does not take. */
export async function applyChange(
  qdrant: QdrantClient,
  collection: string,
  { points, deleted, bases }: Change,
): Promise<number[]> {
  const path = `/collections/${collection}/points`
  const send = (method: string, to: string, body: object) =>
    qdrant.request(anything, method, `${to}?wait=true`, body, timeoutMs)
  const refused: number[] = []
  const upsertBisecting = async (batch: readonly Point[]): Promise<void> => {
    try {
      await send('PUT', path, { points: batch })
    } catch (thrown) {
      if (!(thrown instanceof QdrantError && thrown.refused)) throw thrown
      // One that is refused must not keep the others from their places.
      if (batch.length === 1) return void refused.push(batch[0]!.id)
      const half = batch.length >> 1
      await upsertBisecting(batch.slice(0, half))
      await upsertBisecting(batch.slice(half))
    }
  }
  for (const batch of splitBySize(points)) await upsertBisecting(batch)
  if (points.length >= 8 && refused.length === points.length) {
    throw new Error(`Qdrant takes no point into ${collection}: were its vectors of another model?`)
  }
  if (deleted.length > 0) await send('POST', `${path}/delete`, { points: deleted })
  for (const kb of bases) {
    const filter = { must: [{ key: 'kb', match: { value: kb } }] }
    await send('POST', `${path}/delete`, { filter })
  }
  return refused
}

/** Numbers that go into one request: well below what a server takes. */
const maxNumbers = 400_000

function splitBySize(points: readonly Point[]): Point[][] {
  const slices: Point[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const point of points) {
    const own = Object.values(point.vector).reduce((sum, vector) => sum + numberCount(vector), 100)
    if (size + own > maxNumbers) {
      slices.push([])
      size = 0
    }
    slices.at(-1)!.push(point)
    size += own
  }
  return slices
}

const numberCount = (vector: Point['vector'][string]) =>
  'indices' in vector ? vector.indices.length * 2 : vector.length

/** Searches go to a collection from now on, in one step. */
export async function switchAlias(
  { client: qdrant, alias }: QdrantSearch,
  before: string | undefined,
  { collection }: QdrantCollection,
): Promise<void> {
  const actions = [
    ...(before === undefined ? [] : [{ delete_alias: { alias_name: alias } }]),
    { create_alias: { collection_name: collection, alias_name: alias } },
  ]
  await qdrant.request(anything, 'POST', '/collections/aliases', { actions }, timeoutMs)
}

const Count = z.object({ count: z.int() })

export const countPoints = async (qdrant: QdrantClient, collection: string) =>
  (
    await qdrant.request(
      Count,
      'POST',
      `/collections/${collection}/points/count`,
      { exact: true },
      timeoutMs,
    )
  ).count

const FingerprintedPoint = z.object({
  id: z.int(),
  payload: z.object({ fingerprint: z.string().optional() }).nullish(),
})
const Page = z.object({ points: z.array(FingerprintedPoint), next_page_offset: z.int().nullish() })

const fingerprintsById = (points: readonly z.infer<typeof FingerprintedPoint>[]) =>
  new Map(points.map(({ id, payload }) => [id, payload?.fingerprint ?? '']))

/** The marks of some points by id, in order; and where the next ones begin. */
export async function scrollFingerprints(
  qdrant: QdrantClient,
  collection: string,
  offset: number,
  limit: number,
) {
  const path = `/collections/${collection}/points/scroll`
  const body = { limit, offset, with_payload: ['fingerprint'], with_vector: false }
  const { points, next_page_offset } = await qdrant.request(Page, 'POST', path, body, timeoutMs)
  return { marks: fingerprintsById(points), next: next_page_offset ?? undefined }
}

/** The marks of the points that are there. */
export async function readFingerprints(
  qdrant: QdrantClient,
  collection: string,
  ids: readonly number[],
) {
  const body = { ids, with_payload: ['fingerprint'], with_vector: false }
  const path = `/collections/${collection}/points`
  return fingerprintsById(
    await qdrant.request(z.array(FingerprintedPoint), 'POST', path, body, timeoutMs),
  )
}
