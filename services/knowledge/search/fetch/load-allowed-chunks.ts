import * as z from 'zod'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { filterConditions, inForceCondition, type SearchScope } from '../query/request.ts'
import type { ChunkFilter } from '../rank/bm25.ts'

const ChunkRefRow = z.object({ base: z.int(), seq: z.int() })

/** Loads the chunks that match the filters and are in force, by base. */
export async function loadAllowedChunks(
  sql: Sql,
  { bases, filters, asOf }: SearchScope,
): Promise<ChunkFilter> {
  const rows = await sql.rows(ChunkRefRow)`
    select chunk.base, chunk.seq
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where chunk.base = any(${numberArray(
      bases.map(({ no }) => no),
      'int4',
    )}) ${filterConditions(filters)} ${inForceCondition(asOf)}`
  const allowed = new Map<number, Set<number>>()
  for (const { base, seq } of rows) {
    const seqs = allowed.get(base)
    if (seqs) seqs.add(seq)
    else allowed.set(base, new Set([seq]))
  }
  return allowed
}
