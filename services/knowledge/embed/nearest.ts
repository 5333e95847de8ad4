import { type fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { Scored } from '../search/top.ts'
import { nearestByIndex, type VectorIndexes } from './pgvector.ts'
import { Near, signature, unit } from './vectors.ts'

export interface Question {
  model: string
  bases: readonly number[]
  vector: readonly number[]
  most: number
  where: ReturnType<typeof fragment>
}

/** The chunks of some bases nearest to a vector: by an index where there is one that finds enough. */
export async function nearest(
  sql: Sql,
  indexes: VectorIndexes,
  { vector, ...question }: Question,
): Promise<Scored[]> {
  const direction = unit(vector)
  if (!direction) return []
  const schema = await indexes.schemaOf(sql, direction.length)
  if (schema) {
    try {
      const near = await nearestByIndex(sql, schema, { ...question, direction })
      if (near.length === question.most) return near
    } catch {
      indexes.forget(direction.length)
    }
  }
  return compared(sql, { ...question, vector: direction })
}

/**
 * All of the bases' signatures are compared, which is quick; the vectors of the closest few hundred then
 * tell their order exactly. Where there are fewer chunks than that the result is exact.
 */
const compared = (sql: Sql, { model, bases, vector, most, where }: Question) =>
  sql.rows(Near)`
    with near as materialized (
      select chunk.base, chunk.seq, embedding.vector
      from knowledge.chunks chunk
        join knowledge.documents document using (base, document_id)
        join knowledge.embeddings embedding on embedding.hash = chunk.hash
      where chunk.base = any(${numberArray(bases, 'int4')}) and embedding.model = ${model}
        and embedding.dims = ${vector.length} ${where}
      order by bit_count(embedding.signature # ${signature(vector)}::text::bit varying),
        chunk.base, chunk.seq
      limit ${Math.max(400, Math.min(most * 4, most + 300))})
    select base, seq, (
      select sum(a::float8 * b) from unnest(vector, ${numberArray(vector, 'float4')}) pair (a, b)
    ) as score
    from near order by score desc, base, seq limit ${most}`
