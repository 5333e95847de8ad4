import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { SearchCache } from './cache.ts'
import type { SeqRange, SeqRanges } from './seq-ranges.ts'
import type { Shard } from './shard.ts'

/** Not validated: thousands of rows, written by this service. */
type SeqRangeRow = SeqRange & { shard: number }

/** Reads the ranges of shards that end after the given numbers, ascending. */
export const readSeqRanges = (sql: Sql, shards: readonly number[], after: readonly number[]) =>
  sql`
    select shard, first_seq, end_seq, base
    from unnest(${numberArray(shards, 'int4')}, ${numberArray(after, 'int4')}) missing (shard, after)
      join knowledge.seq_ranges range using (shard)
    where range.end_seq > missing.after
    order by shard, first_seq` as Promise<unknown> as Promise<SeqRangeRow[]>

/** Loads the ranges of shards, from the cache where they are complete. */
export async function loadSeqRanges(
  sql: Sql,
  cache: SearchCache,
  shards: readonly Shard[],
): Promise<SeqRanges[]> {
  const cached = shards.map((shard) => cache.getIndex(shard).rangesOf(shard))
  const missing = shards.flatMap((shard, nth) => {
    const ranges = cached[nth]!
    return ranges.coveredUntil < shard.next_seq ? [{ shard, ranges }] : []
  })
  if (missing.length === 0) return cached
  const rows = await readSeqRanges(
    sql,
    missing.map(({ shard }) => shard.no),
    missing.map(({ ranges }) => ranges.coveredUntil),
  )
  const rowsByShard = Map.groupBy(rows, ({ shard }) => shard)
  return shards.map((shard, nth) => {
    const ranges = cached[nth]!
    if (ranges.coveredUntil >= shard.next_seq) return ranges
    const extended = ranges.extend(rowsByShard.get(shard.no) ?? [], shard.next_seq)
    cache.getIndex(shard).setRanges(extended)
    return extended
  })
}
