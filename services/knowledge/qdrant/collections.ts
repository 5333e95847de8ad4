import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmbedding } from '../embed/embed-job.ts'
import type { Embedder } from '../embed/embedder.ts'
import { enqueueWhere } from './change-queue.ts'
import { aliasTarget } from './client.ts'
import type { QdrantSearch } from './search-qdrant.ts'

/** A Qdrant collection with the model and dimensions of its vectors. */
export interface QdrantCollection {
  collection: string
  model: string | null
  dims: number | null
}

const CollectionRow = z.object({
  collection: z.string(),
  model: z.string().nullable(),
  dims: z.int().nullable(),
  backfilled: z.boolean(),
})
export type RegisteredCollection = z.infer<typeof CollectionRow>

/** Loads the collections that receive changes; the active one is first. */
export const loadCollections = (sql: Sql) => sql.rows(CollectionRow)`
  select collection, model, dims, backfilled from knowledge.indexes
  where retired_at is null order by chosen_at desc`

const LatestRow = z.object({ collection: z.string(), unwanted: z.boolean() })

/**
 * Claims the configured collection as the active one, once per process: the last claim wins, so old
 * replicas do not revert it during a rollout. A collection unclaimed for 15 minutes is replaced.
 */
export async function claimActiveIndex(
  { sql, embedder }: Pick<ServiceContext<Deps>, 'sql' | 'embedder'>,
  search: QdrantSearch,
): Promise<void> {
  const { collection } = search
  const latest = await sql.row(LatestRow)`
    select collection, claimed_at < now() - interval '15 minutes' as unwanted
    from knowledge.indexes where retired_at is null order by chosen_at desc limit 1`
  if (latest?.collection !== collection && (!search.claimed || latest?.unwanted !== false)) {
    await register(sql, search, embedder)
  }
  await sql`update knowledge.indexes set claimed_at = now() where collection = ${collection}`
  search.claimed = true
}

async function register(sql: Sql, search: QdrantSearch, embedder: Embedder | undefined) {
  const { client: qdrant, collection, alias } = search
  const dims = embedder ? (embedder.dims ?? (await probeDims(embedder))) : null
  // A collection of this name that is not active is a leftover.
  if ((await aliasTarget(qdrant, alias)) !== collection)
    await qdrant.background.deleteCollection(collection)
  await sql.transaction(async (sql) => {
    // Waits for running writers, which do not enqueue changes for the new collection.
    await sql`lock table knowledge.indexes in access exclusive mode`
    await sql`
      insert into knowledge.indexes (collection, model, dims)
      values (${collection}, ${embedder?.model ?? null}, ${dims})
      on conflict (collection) do update set model = excluded.model, dims = excluded.dims,
        chosen_at = clock_timestamp(), backfilled = false, retired_at = null, checked_at = null`
  })
}

const probeDims = async (embedder: Embedder) => (await embedder.embedQuery('.')).length

/** Enqueues all chunks for a collection. */
export const enqueueBackfill = (sql: Sql, { collection }: QdrantCollection) =>
  sql.transaction(async (sql) => {
    await enqueueWhere(sql, fragment`select base, seq from knowledge.chunks`, collection)
    await sql`update knowledge.indexes set backfilled = true where collection = ${collection}`
  })

const UnembeddedRow = z.object({ base: z.int() })

/** True if every chunk older than the claim has its vector; enqueues missing ones. */
export async function isEmbedded(
  sql: Sql,
  { collection, model }: QdrantCollection,
): Promise<boolean> {
  if (model === null) return true
  const unembedded = await sql.rows(UnembeddedRow)`
    select distinct base
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where document.updated_at < (
        select chosen_at from knowledge.indexes where collection = ${collection})
      and not exists (
        select from knowledge.embeddings e where e.model = ${model} and e.hash = chunk.hash)`
  for (const { base } of unembedded) await enqueueEmbedding(sql, base, model)
  return unembedded.length === 0
}

/** Time that a retired collection stays, for searches that began before the switch. */
const graceMs = 60_000

export async function retireAllBut(sql: Sql, { collection }: QdrantCollection): Promise<void> {
  await sql`
    update knowledge.indexes set retired_at = now()
    where retired_at is null and collection <> ${collection}`
}

const Retired = z.object({ collection: z.string() })

export async function dropRetired(
  sql: Sql,
  { client: qdrant, alias }: QdrantSearch,
): Promise<void> {
  const searched = await aliasTarget(qdrant, alias)
  const retired = await sql.rows(Retired)`
    select collection from knowledge.indexes
    where retired_at < now() - ${graceMs} * interval '1 millisecond'`
  for (const { collection } of retired) {
    if (collection !== searched) await qdrant.background.deleteCollection(collection)
    await sql`delete from knowledge.index_changes where collection = ${collection}`
    await sql`delete from knowledge.indexes where collection = ${collection} and retired_at is not null`
  }
}
