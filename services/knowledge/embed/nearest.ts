import { numberArray, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import type { ScoredChunk } from '../search/rank/scored-chunk.ts'
import { findNearestByIndex, type VectorIndexes } from './pgvector.ts'
import { NearestRow, normalize, signBits } from './vectors.ts'

export interface VectorQuery {
  model: string
  bases: readonly number[]
  vector: readonly number[]
  limit: number
  /** Fewer results of the index than this are not enough: the vectors are scanned. */
  minimum: number
  where: SqlFragment
}

/** Finds the chunks nearest to a vector: by the index if it returns enough, else by a scan. */
export async function findNearest(
  sql: Sql,
  indexes: VectorIndexes,
  { vector, ...query }: VectorQuery,
): Promise<ScoredChunk[]> {
  const direction = normalize(vector)
  if (!direction) return []
  const schema = await indexes.findSchema(sql, direction.length)
  if (schema) {
    try {
      const nearest = await findNearestByIndex(sql, schema, { ...query, direction })
      if (nearest.length >= query.minimum) return nearest
    } catch {
      indexes.forget(direction.length)
    }
  }
  return scanSignatures(sql, { ...query, vector: direction })
}

/**
 * Scans the sign bits of all vectors, then ranks the closest few hundred by their exact cosine. Exact
 * for bases with fewer chunks than that.
 */
const scanSignatures = (sql: Sql, { model, bases, vector, limit, where }: VectorQuery) =>
  sql.rows(NearestRow)`
    with near as materialized (
      select chunk.base, chunk.seq, embedding.vector
      from knowledge.chunks chunk
        join knowledge.documents document using (base, document_id)
        join knowledge.embeddings embedding on embedding.hash = chunk.hash
      where chunk.base = any(${numberArray(bases, 'int4')}) and embedding.model = ${model}
        and embedding.dims = ${vector.length} ${where}
      order by bit_count(embedding.signature # ${signBits(vector)}::text::bit varying),
        chunk.base, chunk.seq
      limit ${Math.max(400, Math.min(limit * 4, limit + 300))})
    select base, seq, (
      select sum(a::float8 * b) from unnest(vector, ${numberArray(vector, 'float4')}) pair (a, b)
    ) as score
    from near order by score desc, base, seq limit ${limit}`
