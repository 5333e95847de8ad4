import type { Schemas } from '@qdrant/js-client-rest'
import { isRejection, type QdrantClient } from './client.ts'
import type { QdrantCollection } from './collections.ts'
import { denseVectorName, sparseVectorName } from './point.ts'
import type { QdrantSearch } from './search-qdrant.ts'

/** Payload fields that filters use. */
const fields = {
  kb: 'integer',
  document_id: 'keyword',
  doc_type: 'keyword',
  section_id: 'keyword',
  from: 'integer',
  to: 'integer',
} as const

/** Creates the collection with its payload indexes. It must not exist. */
export async function createCollection(
  { background }: QdrantClient,
  { collection, model, dims }: QdrantCollection,
): Promise<void> {
  const vectors =
    model === null ? {} : { [denseVectorName(model)]: { size: dims!, distance: 'Cosine' as const } }
  const sparse_vectors = { [sparseVectorName]: { modifier: 'idf' as const } }
  await background.createCollection(collection, { vectors, sparse_vectors })
  for (const [field_name, field_schema] of Object.entries(fields)) {
    await background.createPayloadIndex(collection, { field_name, field_schema, wait: true })
  }
}

export interface Point {
  id: number
  vector: Record<string, number[] | { indices: number[]; values: number[] }>
  payload: Record<string, unknown>
}

/** Points to write, points to delete, and bases whose points are all deleted. */
export interface Change {
  points: readonly Point[]
  deleted: readonly number[]
  bases: readonly number[]
}

/** Applies a change to a collection; returns the ids of points that Qdrant rejects. */
export async function applyChange(
  { background }: QdrantClient,
  collection: string,
  { points, deleted, bases }: Change,
): Promise<number[]> {
  const refused: number[] = []
  const upsertBisecting = async (batch: Point[]): Promise<void> => {
    try {
      await background.upsert(collection, { points: batch, wait: true })
    } catch (thrown) {
      if (!isRejection(thrown)) throw thrown
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
  if (deleted.length > 0) {
    await background.delete(collection, { points: [...deleted], wait: true })
  }
  for (const kb of bases) {
    const filter = { must: [{ key: 'kb', match: { value: kb } }] }
    await background.delete(collection, { filter, wait: true })
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
  { client, alias }: QdrantSearch,
  before: string | undefined,
  { collection }: QdrantCollection,
): Promise<void> {
  const actions = [
    ...(before === undefined ? [] : [{ delete_alias: { alias_name: alias } }]),
    { create_alias: { collection_name: collection, alias_name: alias } },
  ]
  await client.background.updateCollectionAliases({ actions })
}

export const countPoints = async ({ background }: QdrantClient, collection: string) =>
  (await background.count(collection, { exact: true })).count

const fingerprintsById = (points: readonly Schemas['Record'][]) =>
  new Map(points.map(({ id, payload }) => [Number(id), String(payload?.fingerprint ?? '')]))

const fingerprintOnly = { with_payload: ['fingerprint'], with_vector: false }

/** Reads one page of fingerprints by id, and the offset of the next page. */
export async function scrollFingerprints(
  { background }: QdrantClient,
  collection: string,
  offset: number,
  limit: number,
) {
  const page = await background.scroll(collection, { limit, offset, ...fingerprintOnly })
  const next = page.next_page_offset
  return { marks: fingerprintsById(page.points), next: next == null ? undefined : Number(next) }
}

/** Reads the fingerprints of existing points. */
export const readFingerprints = async (
  { background }: QdrantClient,
  collection: string,
  ids: readonly number[],
) => fingerprintsById(await background.retrieve(collection, { ids: [...ids], ...fingerprintOnly }))
