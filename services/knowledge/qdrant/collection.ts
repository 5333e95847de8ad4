import * as z from 'zod'
import { anything, type QdrantClient, QdrantError } from './client.ts'
import type { QdrantCollection } from './collections.ts'
import { denseVectorName, sparseVectorName } from './point.ts'
import type { QdrantSearch } from './search-qdrant.ts'

/** Timeout of background requests. */
const timeoutMs = 10_000

/** Payload fields that filters use. */
const fields = {
  kb: 'integer',
  document_id: 'keyword',
  doc_type: 'keyword',
  section_id: 'keyword',
  from: 'integer',
  to: 'integer',
}

/** Creates the collection with its payload indexes. It must not exist. */
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

/** Points to write, points to delete, and bases whose points are all deleted. */
export interface Change {
  points: readonly Point[]
  deleted: readonly number[]
  bases: readonly number[]
}

/** Applies a change to a collection; returns the ids of points that Qdrant rejects. */
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
      // Bisects, so that a rejected point does not block the others.
      if (batch.length === 1) return void refused.push(batch[0]!.id)
      const half = batch.length >> 1
      await upsertBisecting(batch.slice(0, half))
      await upsertBisecting(batch.slice(half))
    }
  }
  for (const batch of splitBySize(points)) await upsertBisecting(batch)
  if (points.length >= 8 && refused.length === points.length) {
    throw new Error(`Qdrant rejects every point for ${collection}: check the embedding model`)
  }
  if (deleted.length > 0) await send('POST', `${path}/delete`, { points: deleted })
  for (const kb of bases) {
    const filter = { must: [{ key: 'kb', match: { value: kb } }] }
    await send('POST', `${path}/delete`, { filter })
  }
  return refused
}

/** Vector components per request, well below Qdrant's request limit. */
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

/** Switches the alias to a collection in one atomic step. */
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

/** Reads one page of fingerprints by id, and the offset of the next page. */
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

/** Reads the fingerprints of existing points. */
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
