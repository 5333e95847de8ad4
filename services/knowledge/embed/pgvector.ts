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

/** Its index takes no more dimensions than these, and looks for no more at once. */
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
 * Sees that vectors of so many dimensions have an index, where the database has pgvector. It is made while
 * there are few; made later, over many, it keeps those waiting who write vectors.
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
    // Its extension may be for others to install: vectors are compared without it.
    log.warn({ dims, ...errorFields(thrown) }, 'no index for vectors')
  }
}

/** What this process knows of the indexes: one that is there stays, one that is not may come. */
export interface VectorIndexes {
  /** The schema of pgvector, where vectors of so many dimensions have an index. */
  schemaOf(sql: Sql, dims: number): Promise<string | undefined>
  /** One that failed is looked for again: somebody may have taken the extension away. */
  forget(dims: number): void
}

const recheckMs = 60_000

export function makeVectorIndexes(): VectorIndexes {
  const cached = new Map<number, { schema: string | undefined; until: number }>()
  return {
    async schemaOf(sql, dims) {
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
  /** Of unit length. */
  direction: readonly number[]
  limit: number
  where: SqlFragment
}

/** The nearest by the index; fewer than `most` where too many of them are not in the bases. */
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
