import * as z from 'zod'
import { fragment, numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { chunkRows } from '../index/chunk-rows.ts'
import { filterConditions, inForceCondition, type SearchScope } from '../query/request.ts'
import type { ChunkFilter } from '../rank/bm25.ts'
import type { ScoredChunk } from '../rank/scored-chunk.ts'

const ChunkRefRow = z.object({ base: z.int(), seq: z.int() })

/** Most chunks that are loaded to rank them alone. */
export const maxAllowedChunks = 10_000

const conditions = ({ filters, asOf }: SearchScope) =>
  fragment`${filterConditions(filters)} ${inForceCondition(asOf)}`

const ints = (list: number[]) => numberArray(list, 'int4')

/**
 * Loads the chunks that match the filters and are in force, by shard; undefined if there are more than
 * `maxAllowedChunks`.
 */
export async function loadAllowedChunks(
  sql: Sql,
  scope: SearchScope,
): Promise<ChunkFilter | undefined> {
  const rows = await sql.rows(ChunkRefRow)`
    select chunk.base, chunk.seq
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where chunk.base = any(${ints([...scope.bases.keys()])}) ${conditions(scope)}
    limit ${maxAllowedChunks + 1}`
  if (rows.length > maxAllowedChunks) return undefined
  const allowed = new Map<number, Set<number>>()
  for (const { base, seq } of rows) {
    const { no } = scope.bases.get(base)!.shard
    const seqs = allowed.get(no)
    if (seqs) seqs.add(seq)
    else allowed.set(no, new Set([seq]))
  }
  return allowed
}

/** Returns the ranked chunks that exist, match the filters and are in force, in their order. */
export async function keepAllowedChunks(
  sql: Sql,
  scope: SearchScope,
  ranked: readonly ScoredChunk[],
): Promise<ScoredChunk[]> {
  const rows = await sql.rows(ChunkRefRow)`
    select chunk.base, chunk.seq
    from ${chunkRows(ranked)} chunk
      join knowledge.documents document using (base, document_id)
    where true ${conditions(scope)}`
  const allowed = new Set(rows.map(({ base, seq }) => `${base} ${seq}`))
  return ranked.filter(({ base, seq }) => allowed.has(`${base} ${seq}`))
}
