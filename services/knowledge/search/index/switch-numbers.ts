import * as z from 'zod'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { NewNumbers } from './assign-numbers.ts'
import { lockMergedShard, type MergeRun } from './merge-run.ts'
import { writeSeqRanges } from './seq-ranges.ts'

const AddedRow = z.object({ base: z.int(), seq: z.int() })

/**
 * Moves the chunks of a shard to their new numbers, in the caller's transaction. Returns the numbers whose chunk
 * changed, by base. A number is free before a chunk moves to it. Chunks that were added since the numbers were
 * assigned move down by the width of the gap, in parts of that width.
 */
export async function switchNumbers(
  sql: Sql,
  run: MergeRun,
  numbers: NewNumbers,
): Promise<Map<number, number[]>> {
  const { shard, numbering } = run
  const { count, end, moved, bases } = numbers
  await sql`set local statement_timeout = 0`
  const { next_seq } = await lockMergedShard(sql, run)
  const gap = end - count
  await sql`
    update knowledge.chunks chunk set seq = moved.next
    from unnest(${ints(Array.from(moved.values(), (next) => bases[next]!))},
      ${ints([...moved.keys()])}, ${ints([...moved.values()])}) moved (base, seq, next)
    where chunk.base = moved.base and chunk.seq = moved.seq`
  const changed = new Map<number, number[]>()
  const add = (base: number, ...seqs: number[]) => {
    const own = changed.get(base)
    if (own) own.push(...seqs)
    else changed.set(base, [...seqs])
  }
  for (const [seq, next] of moved) add(bases[next]!, seq, next)
  for (let from = end; from < next_seq && gap > 0; from += gap) {
    const rows = await sql.rows(AddedRow)`
      update knowledge.chunks chunk set seq = seq - ${gap}
      from knowledge.bases base
      where base.shard = ${shard} and chunk.base = base.no and seq >= ${from} and seq < ${from + gap}
      returning chunk.base, chunk.seq`
    for (const { base, seq } of rows) add(base, seq, seq + gap)
  }
  await sql`delete from knowledge.segments where shard = ${shard} and first_seq < ${end}`
  await sql`
    update knowledge.segments set first_seq = first_seq - ${gap}, end_seq = end_seq - ${gap}
    where shard = ${shard}`
  await switchRanges(sql, shard, numbers)
  await sql`
    update knowledge.shards set numbering = ${numbering + 1}, next_seq = next_seq - ${gap},
      layout = layout + 1, purge = false
    where no = ${shard}`
  await sql`update knowledge.bases set version = version + 1 where shard = ${shard}`
  return changed
}

async function switchRanges(sql: Sql, shard: number, { count, end, bases }: NewNumbers) {
  const gap = end - count
  await sql`delete from knowledge.seq_ranges where shard = ${shard} and end_seq <= ${end}`
  await sql`
    update knowledge.seq_ranges set first_seq = greatest(first_seq, ${end}) - ${gap},
      end_seq = end_seq - ${gap}
    where shard = ${shard}`
  await writeSeqRanges(sql, shard, bases)
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
