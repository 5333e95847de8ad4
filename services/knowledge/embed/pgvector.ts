import * as z from 'zod'
import type { Log } from '../../_kit/log.ts'
import { errorFields } from '../../_kit/log.ts'
import {
  identifier,
  integerLiteral,
  numberArray,
  type Sql,
  type SqlFragment,
} from '../../_kit/sql/sql.ts'
import type { ScoredChunk } from '../search/rank/scored-chunk.ts'
import { NearestRow, vectorLiteral } from './vectors.ts'

/** Limits of pgvector's HNSW index. */
const maxDims = 2_000
const maxEfSearch = 1_000

const IndexState = z.object({
  available: z.boolean(),
  schema: z.string().nullable(),
  indexed: z.boolean(),
})

const indexName = (dims: number) => `embeddings_near_${dims}`

const readIndexState = async (sql: Sql, dims: number) =>
  (await sql.row(IndexState)`
    select exists (select from pg_available_extensions where name = 'vector') as available,
      (select nspname from pg_extension join pg_namespace n on n.oid = extnamespace
        where extname = 'vector') as schema,
      exists (select from pg_indexes
        where schemaname = 'knowledge' and indexname = ${indexName(dims)}) as indexed`)!

/**
 * Creates the HNSW index for vectors of a dimension if pgvector is available. It is created early,
 * because building it over many vectors blocks writers.
 */
export async function createVectorIndex(sql: Sql, dims: number, log: Log): Promise<void> {
  const { available, indexed } = await readIndexState(sql, dims)
  if (!available || indexed || dims > maxDims) return
  try {
    await sql.transaction(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtext('knowledge vectors'))`
      await sql`set local statement_timeout = 0`
      await sql`create extension if not exists vector`
      const { schema } = await readIndexState(sql, dims)
      const own = identifier(schema!)
      await sql`
        create index if not exists ${identifier(indexName(dims))} on knowledge.embeddings
          using hnsw ((vector::${own}.vector(${integerLiteral(dims)})) ${own}.vector_cosine_ops)
          where dims = ${integerLiteral(dims)}`
    })
  } catch (thrown) {
    // The role may lack the right to create the extension: vectors are then scanned.
    log.warn({ dims, ...errorFields(thrown) }, 'vector index not created')
  }
}

/** Cached existence of vector indexes. A missing one is checked again after a minute. */
export interface VectorIndexes {
  /** Schema of pgvector if vectors of this dimension have an index. */
  findSchema(sql: Sql, dims: number): Promise<string | undefined>
  /** Forgets an index that failed, since the extension may have been dropped. */
  forget(dims: number): void
}

const recheckMs = 60_000

export function makeVectorIndexes(): VectorIndexes {
  const cached = new Map<number, { schema: string | undefined; until: number }>()
  return {
    async findSchema(sql, dims) {
      const last = cached.get(dims)
      if (last && performance.now() < last.until) return last.schema
      const { schema, indexed } = await readIndexState(sql, dims)
      const found = (indexed && schema) || undefined
      const until = found ? Number.POSITIVE_INFINITY : performance.now() + recheckMs
      cached.set(dims, { schema: found, until })
      return found
    },
    forget: (dims) => void cached.delete(dims),
  }
}

interface IndexQuery {
  model: string
  bases: readonly number[]
  /** Unit vector. */
  direction: readonly number[]
  limit: number
  where: SqlFragment
}

/** Finds the nearest chunks by the index; fewer than `limit` if too many belong to other bases. */
export function findNearestByIndex(
  sql: Sql,
  schema: string,
  { model, bases, direction, limit, where }: IndexQuery,
): Promise<ScoredChunk[]> {
  const efSearch = Math.min(maxEfSearch, Math.max(400, 2 * limit))
  const own = identifier(schema)
  const dims = integerLiteral(direction.length)
  return sql.transaction(async (sql) => {
    await sql`select set_config('hnsw.ef_search', ${String(efSearch)}, true)`
    return sql.rows(NearestRow)`
      with near as materialized (
        select hash, vector::${own}.vector(${dims}) operator(${own}.<=>)
          ${vectorLiteral(direction)}::text::${own}.vector(${dims}) as distance
        from knowledge.embeddings where dims = ${dims} and model = ${model}
        order by distance limit ${efSearch})
      select chunk.base, chunk.seq, 1 - distance as score
      from near join knowledge.chunks chunk using (hash)
        join knowledge.documents document using (base, document_id)
      where chunk.base = any(${numberArray(bases, 'int4')}) ${where}
      order by distance, chunk.base, chunk.seq limit ${limit}`
  })
}
