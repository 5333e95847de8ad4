import * as z from 'zod'
import type { ServiceContext } from '../../_kit/service.ts'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmbedding } from '../embed/embed-job.ts'
import type { Embedder } from '../embed/embedder.ts'
import { aliased, dropped } from './client.ts'
import type { Engine } from './engine.ts'
import { pendThose } from './pending.ts'

/** A collection of the search engine: whose vectors it holds, and of what size. */
export interface Index {
  collection: string
  model: string | null
  dims: number | null
}

const Row = z.object({
  collection: z.string(),
  model: z.string().nullable(),
  dims: z.int().nullable(),
  listed: z.boolean(),
})
export type ListedIndex = z.infer<typeof Row>

/** The collections that are told of changes, the one to be searched first. */
export const indexesOf = (sql: Sql) => sql.rows(Row)`
  select collection, model, dims, listed from knowledge.indexes
  where retired_at is null order by chosen_at desc`

const Latest = z.object({ collection: z.string(), unwanted: z.boolean() })

/**
 * A process says once which collection it is configured for, and the last word counts: while replicas
 * are replaced one by one the old ones do not take the choice back. One that nobody wants any more
 * gives way.
 */
export async function choose(
  { sql, embedder }: Pick<ServiceContext<Deps>, 'sql' | 'embedder'>,
  engine: Engine,
): Promise<void> {
  const { collection } = engine
  const latest = await sql.row(Latest)`
    select collection, wanted_at < now() - interval '15 minutes' as unwanted
    from knowledge.indexes where retired_at is null order by chosen_at desc limit 1`
  if (latest?.collection !== collection && (!engine.chosen || latest?.unwanted !== false)) {
    await register(sql, engine, embedder)
  }
  await sql`update knowledge.indexes set wanted_at = now() where collection = ${collection}`
  engine.chosen = true
}

async function register(sql: Sql, engine: Engine, embedder: Embedder | undefined) {
  const { qdrant, collection, alias } = engine
  const dims = embedder ? (embedder.dims ?? (await sizeOf(embedder))) : null
  // One by that name that is not searched is a left-over.
  if ((await aliased(qdrant, alias)) !== collection) await dropped(qdrant, collection)
  await sql.transaction(async (sql) => {
    // Whoever writes now did not see it: all of them end before it is there, and its list is made.
    await sql`lock table knowledge.indexes in access exclusive mode`
    await sql`
      insert into knowledge.indexes (collection, model, dims)
      values (${collection}, ${embedder?.model ?? null}, ${dims})
      on conflict (collection) do update set model = excluded.model, dims = excluded.dims,
        chosen_at = clock_timestamp(), listed = false, retired_at = null, checked_at = null`
  })
}

const sizeOf = async (embedder: Embedder) => (await embedder.question('.')).length

/** Puts all there is on a collection's list. */
export const listAll = (sql: Sql, { collection }: Index) =>
  sql.transaction(async (sql) => {
    await pendThose(sql, fragment`select base, seq from knowledge.chunks`, collection)
    await sql`update knowledge.indexes set listed = true where collection = ${collection}`
  })

const Lacking = z.object({ base: z.int() })

/** Whether all that was there when a collection was chosen has its vector; has them made where not. */
export async function isEmbedded(sql: Sql, { collection, model }: Index): Promise<boolean> {
  if (model === null) return true
  const lacking = await sql.rows(Lacking)`
    select distinct base
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where document.updated_at < (
        select chosen_at from knowledge.indexes where collection = ${collection})
      and not exists (
        select from knowledge.embeddings e where e.model = ${model} and e.hash = chunk.hash)`
  for (const { base } of lacking) await enqueueEmbedding(sql, base, model)
  return lacking.length === 0
}

/** A search that began before the switch may still go to a retired collection; later none does. */
const graceMs = 60_000

export async function retireAllBut(sql: Sql, { collection }: Index): Promise<void> {
  await sql`
    update knowledge.indexes set retired_at = now()
    where retired_at is null and collection <> ${collection}`
}

const Retired = z.object({ collection: z.string() })

export async function dropRetired(sql: Sql, { qdrant, alias }: Engine): Promise<void> {
  const searched = await aliased(qdrant, alias)
  const retired = await sql.rows(Retired)`
    select collection from knowledge.indexes
    where retired_at < now() - ${graceMs} * interval '1 millisecond'`
  for (const { collection } of retired) {
    if (collection !== searched) await dropped(qdrant, collection)
    await sql`delete from knowledge.pending where collection = ${collection}`
    await sql`delete from knowledge.indexes where collection = ${collection} and retired_at is not null`
  }
}
