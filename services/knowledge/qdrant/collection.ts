import * as z from 'zod'
import type { Embedder } from '../embed/embedder.ts'
import { aliased, anything, exists, type Qdrant } from './client.ts'
import type { Engine } from './engine.ts'
import { byMeaning, byWords } from './point.ts'

const patienceMs = 30_000

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
export async function create(
  { qdrant, collection }: Engine,
  embedder: Embedder | undefined,
): Promise<void> {
  const size = embedder && (embedder.dims ?? (await embedder.texts(['.']))[0]!.length)
  const vectors = size === undefined ? {} : { [byMeaning]: { size, distance: 'Cosine' } }
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
  vector: object
  payload: object
}

/** What some points are now, and which are none any more; of all of a base where it is gone. */
export interface Change {
  points: readonly Point[]
  gone: readonly number[]
  bases: readonly number[]
}

export async function tell(qdrant: Qdrant, collection: string, { points, gone, bases }: Change) {
  const path = `/collections/${collection}/points`
  const send = (method: string, to: string, body: object) =>
    qdrant.ask(anything, method, `${to}?wait=true`, body, patienceMs)
  if (points.length > 0) await send('PUT', path, { points })
  if (gone.length > 0) await send('POST', `${path}/delete`, { points: gone })
  for (const kb of bases) {
    const filter = { must: [{ key: 'kb', match: { value: kb } }] }
    await send('POST', `${path}/delete`, { filter })
  }
}

/** The collections that changes go to: ours, and the one that is searched until ours is full. */
export async function targets({ qdrant, collection, alias }: Engine): Promise<string[]> {
  const searched = await aliased(qdrant, alias)
  if (searched === undefined || searched === collection) return [collection]
  return (await exists(qdrant, searched)) ? [collection, searched] : [collection]
}

/** Searches go to our collection from now on, in one step; the one before is of no more use. */
export async function takeOver({ qdrant, collection, alias }: Engine): Promise<void> {
  const before = await aliased(qdrant, alias)
  if (before === collection) return
  const actions = [
    ...(before === undefined ? [] : [{ delete_alias: { alias_name: alias } }]),
    { create_alias: { collection_name: collection, alias_name: alias } },
  ]
  await qdrant.ask(anything, 'POST', '/collections/aliases', { actions }, patienceMs)
  if (before !== undefined) await qdrant.ask(anything, 'DELETE', `/collections/${before}`)
}

const Count = z.object({ count: z.int() })

export const countIn = async ({ qdrant, alias }: Engine) =>
  (await qdrant.ask(Count, 'POST', `/collections/${alias}/points/count`, { exact: true })).count

const Page = z.object({
  points: z.array(z.object({ id: z.int() })),
  next_page_offset: z.int().nullish(),
})

/** The ids of all points. */
export async function idsIn({ qdrant, collection }: Engine): Promise<Set<number>> {
  const ids = new Set<number>()
  let offset: number | null | undefined = null
  do {
    const asked = { limit: 10_000, offset, with_payload: false, with_vector: false }
    const path = `/collections/${collection}/points/scroll`
    const page: z.infer<typeof Page> = await qdrant.ask(Page, 'POST', path, asked, patienceMs)
    for (const { id } of page.points) ids.add(id)
    offset = page.next_page_offset
  } while (offset != null)
  return ids
}
