import { fragment, numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { BaseRow } from '../../base.ts'
import type { ScoredChunk } from '../rank/scored-chunk.ts'
import type { SearchCache } from './cache.ts'
import type { ColumnRow, LocatedChunk } from './chunk-columns.ts'

/** Adds document and position to scored chunks, in their order; drops deleted ones. */
export async function locateChunks(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  scored: readonly ScoredChunk[],
): Promise<LocatedChunk[]> {
  const columnsByBase = new Map(bases.map((base) => [base.no, cache.getIndex(base).columns]))
  const missing = scored.filter(({ base, seq }) => columnsByBase.get(base)?.isLoaded(seq) === false)
  if (missing.length > 0) {
    const readAhead = readAheadRange(bases, missing[0]!)
    const rows = (
      await Promise.all([readColumns(sql, missing), readColumnRange(sql, readAhead)])
    ).flat()
    const rowsByBase = Map.groupBy(rows, ({ base }) => base)
    for (const [no, own] of Map.groupBy(missing, ({ base }) => base)) {
      const seqs = own.map(({ seq }) => seq)
      for (let seq = readAhead.from; no === readAhead.base && seq < readAhead.to; seq++)
        seqs.push(seq)
      columnsByBase.get(no)!.fill(seqs, rowsByBase.get(no) ?? [])
    }
  }
  const located: LocatedChunk[] = []
  for (const each of scored) {
    const chunk = columnsByBase.get(each.base)?.locate(each)
    if (chunk) located.push(chunk)
  }
  return located
}

/** Chunks read ahead per search that misses some, so that later searches find them in memory. */
const readAheadSize = 1_024

function readAheadRange(bases: readonly BaseRow[], { base, seq }: ScoredChunk) {
  const from = seq - (seq % readAheadSize)
  // Chunks from `next_seq` on may be written at any moment: they must not be marked as deleted.
  const next = bases.find(({ no }) => no === base)!.next_seq
  return { base, from, to: Math.min(from + readAheadSize, next) }
}

const columns = fragment`base, seq, document_id, title, chunk_index, article, citation_count`

/** Not validated: hundreds of rows per search, written by this service. */
const readColumns = (sql: Sql, chunks: readonly ScoredChunk[]) =>
  sql`
    select ${columns}
    from unnest(${ints(chunks.map(({ base }) => base))}, ${ints(chunks.map(({ seq }) => seq))})
        scored (base, seq)
      join knowledge.chunks using (base, seq)
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

const ints = (list: number[]) => numberArray(list, 'int4')
