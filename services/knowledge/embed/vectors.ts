import * as z from 'zod'
import { numbers, type part, type Sql, texts } from '../../_kit/sql/sql.ts'
import type { Scored } from '../search/top.ts'

/** The model of vectors that came with their chunks, where no other is configured. */
export const givenModel = 'given'

/** Of unit length, so that a product of two is their cosine. Null for what has no direction. */
export function unit(vector: readonly number[]): number[] | null {
  const length = Math.hypot(...vector)
  if (!(length > 0 && Number.isFinite(length))) return null
  return vector.map((value) => {
    const share = value / length
    // The database's numbers end here.
    return Math.abs(share) < 1e-30 ? 0 : share
  })
}

/** One bit a dimension: which side of zero it is on. Texts of like meaning share most of them. */
const signature = (vector: readonly number[]) =>
  vector.map((value) => (value > 0 ? '1' : '0')).join('')

export interface Embedded {
  hash: string
  /** None where the model has none for it, so that it is not asked again. */
  vector: readonly number[] | null
}

const rowsAtOnce = 200

export async function keepVectors(sql: Sql, model: string, all: readonly Embedded[]) {
  const byHash = new Map<string, number[]>()
  for (const { hash, vector } of all) {
    const direction = vector === null ? [] : unit(vector)
    if (direction) byHash.set(hash, direction)
  }
  const rows = [...byHash].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce)
    await sql`
      insert into knowledge.embeddings (model, hash, dims, vector, signature)
      select ${model}::text, hash, cardinality(vector::float4[]), vector::float4[],
        signature::bit varying
      from unnest(${texts(some.map(([hash]) => hash))},
        ${texts(some.map(([, vector]) => `{${vector.map((value) => value.toPrecision(7))}}`))},
        ${texts(some.map(([, vector]) => signature(vector)))}) given (hash, vector, signature)
      on conflict (model, hash) do update set dims = excluded.dims, vector = excluded.vector,
        signature = excluded.signature`
  }
}

const Near = z.object({ base: z.int(), seq: z.int(), score: z.number() })

/**
 * The chunks of some bases nearest to a vector. All of the bases' signatures are compared, which is
 * quick; the vectors of the closest few hundred then tell their order exactly. Where there are fewer
 * chunks than that the result is exact.
 */
export async function nearest(
  sql: Sql,
  model: string,
  bases: readonly number[],
  vector: readonly number[],
  most: number,
  where: ReturnType<typeof part>,
): Promise<Scored[]> {
  const direction = unit(vector)
  if (!direction) return []
  return sql.rows(Near)`
    with near as materialized (
      select chunk.base, chunk.seq, embedding.vector
      from knowledge.chunks chunk
        join knowledge.documents document using (base, document_id)
        join knowledge.embeddings embedding on embedding.hash = chunk.hash
      where chunk.base = any(${numbers(bases, 'int4')}) and embedding.model = ${model}
        and embedding.dims = ${direction.length} ${where}
      order by bit_count(embedding.signature # ${signature(direction)}::text::bit varying),
        chunk.base, chunk.seq
      limit ${Math.max(400, Math.min(most * 4, most + 300))})
    select base, seq, (
      select sum(a::float8 * b) from unnest(vector, ${numbers(direction, 'float4')}) pair (a, b)
    ) as score
    from near order by score desc, base, seq limit ${most}`
}
