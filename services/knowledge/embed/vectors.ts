import * as z from 'zod'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'

/** Model name of vectors that callers supply, if no model is configured. */
export const callerSuppliedModel = 'given'

/** Scales a vector to unit length; null if it has none. */
export function normalize(vector: readonly number[]): number[] | null {
  const length = Math.hypot(...vector)
  if (!(length > 0 && Number.isFinite(length))) return null
  return vector.map((value) => {
    const share = value / length
    // float4 cannot hold smaller values.
    return Math.abs(share) < 1e-30 ? 0 : share
  })
}

/** Sign bit of each dimension. Vectors with a small angle share most of them. */
export const signBits = (vector: readonly number[]) =>
  vector.map((value) => (value > 0 ? '1' : '0')).join('')

/** Literal for arrays and for pgvector. */
export const vectorLiteral = (vector: readonly number[], [open, close] = '[]') =>
  `${open}${vector.map((value) => value.toPrecision(7))}${close}`

export interface EmbeddedText {
  hash: string
  /** Null if the model rejects the text; stored, so that it is not requested again. */
  vector: readonly number[] | null
}

const batchSize = 200

export async function saveVectors(sql: Sql, model: string, all: readonly EmbeddedText[]) {
  const byHash = new Map<string, number[]>()
  for (const { hash, vector } of all) {
    const direction = vector === null ? [] : normalize(vector)
    if (direction) byHash.set(hash, direction)
  }
  const rows = [...byHash].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let at = 0; at < rows.length; at += batchSize) {
    const batch = rows.slice(at, at + batchSize)
    await sql`
      insert into knowledge.embeddings (model, hash, dims, vector, signature)
      select ${model}::text, hash, cardinality(vector::float4[]), vector::float4[],
        signature::bit varying
      from unnest(${textArray(batch.map(([hash]) => hash))},
        ${textArray(batch.map(([, vector]) => vectorLiteral(vector, '{}')))},
        ${textArray(batch.map(([, vector]) => signBits(vector)))}) given (hash, vector, signature)
      on conflict (model, hash) do update set dims = excluded.dims, vector = excluded.vector,
        signature = excluded.signature, created_at = now()`
  }
}

export const NearestRow = z.object({ base: z.int(), seq: z.int(), score: z.number() })

const OrphanRow = z.object({ hash: z.string() })

/** Vectors younger than this are kept: the write of their chunk may not be visible yet. */
const minAgeMinutes = 60

/** Deletes vectors of texts that no chunk of any base has, in batches; returns their number. */
export async function deleteOrphanedVectors(sql: Sql, limit = 5_000): Promise<number> {
  let deleted = 0
  for (;;) {
    const rows = await sql.rows(OrphanRow)`
      delete from knowledge.embeddings where (model, hash) in (
          select model, hash from knowledge.embeddings embedding
          where created_at < now() - ${minAgeMinutes} * interval '1 minute'
            and not exists (select from knowledge.chunks chunk where chunk.hash = embedding.hash)
          limit ${limit})
        and created_at < now() - ${minAgeMinutes} * interval '1 minute'
      returning hash`
    deleted += rows.length
    if (rows.length < limit) return deleted
  }
}
