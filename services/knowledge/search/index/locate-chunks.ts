import { fragment, type Sql } from '../../../_kit/sql/sql.ts'
import type { SearchedBases } from '../query/request.ts'
import type { ScoredChunk } from '../rank/scored-chunk.ts'
import type { SearchCache } from './cache.ts'
import type { ChunkColumns, ColumnRow, LocatedChunk } from './chunk-columns.ts'
import { chunkRows } from './chunk-rows.ts'
import { loadSeqRanges } from './load-seq-ranges.ts'

/** Adds document and position to scored chunks, in their order; drops deleted ones and those of other bases. */
export async function locateChunks(
  sql: Sql,
  cache: SearchCache,
  searched: SearchedBases,
  scored: readonly ScoredChunk[],
): Promise<LocatedChunk[]> {
  const { bases, shards } = searched
  const columnsByShard = new Map(shards.map((shard) => [shard.no, cache.getIndex(shard).columns]))
  const columnsOf = (base: number): ChunkColumns | undefined =>
    columnsByShard.get(bases.get(base)?.shard.no ?? -1)
  const missing = scored.filter(({ base, seq }) => columnsOf(base)?.isLoaded(seq) === false)
  if (missing.length > 0) {
    const readAhead = await readAheadRange(sql, cache, searched, missing[0]!)
    const rows = (
      await Promise.all([readColumns(sql, missing), readColumnRange(sql, readAhead)])
    ).flat()
    const rowsByBase = Map.groupBy(rows, ({ base }) => base)
    for (const [base, own] of Map.groupBy(missing, ({ base }) => base)) {
      const seqs = own.map(({ seq }) => seq)
      for (let seq = readAhead.from; base === readAhead.base && seq < readAhead.to; seq++)
        seqs.push(seq)
      columnsOf(base)!.fill(seqs, rowsByBase.get(base) ?? [])
    }
  }
  const located: LocatedChunk[] = []
  for (const each of scored) {
    const chunk = columnsOf(each.base)?.locate(each)
    if (chunk) located.push(chunk)
  }
  return located
}

/** Chunks read ahead per search that misses some, so that later searches find them in memory. */
const readAheadSize = 1_024

/**
 * The chunks around a missing one. They are of the same base, and below `next_seq`: chunks from there on may be
 * written at any moment and must not be marked as deleted.
 */
async function readAheadRange(
  sql: Sql,
  cache: SearchCache,
  { bases }: SearchedBases,
  { base, seq }: ScoredChunk,
) {
  const { shard } = bases.get(base)!
  const [ranges] = await loadSeqRanges(sql, cache, [shard])
  const own = ranges!.find(seq)
  const from = seq - (seq % readAheadSize)
  if (own?.base !== base) return { base, from: seq, to: seq }
  return {
    base,
    from: Math.max(from, own.first_seq),
    to: Math.min(from + readAheadSize, own.end_seq, shard.next_seq),
  }
}

const columns = fragment`base, seq, document_id, title, chunk_index, article, citation_count`

/** Not validated: hundreds of rows per search, written by this service. */
const readColumns = (sql: Sql, chunks: readonly ScoredChunk[]) =>
  sql`
    select ${columns}
    from ${chunkRows(chunks)} chunk
      join knowledge.documents using (base, document_id)` as Promise<unknown> as Promise<
    ColumnRow[]
  >

const readColumnRange = (
  sql: Sql,
  { base, from, to }: { base: number; from: number; to: number },
) =>
  sql`
    select ${columns}
    from knowledge.chunks join knowledge.documents using (base, document_id)
    where base = ${base} and seq >= ${from} and seq < ${to}` as Promise<unknown> as Promise<
    ColumnRow[]
  >
