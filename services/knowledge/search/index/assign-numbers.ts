import * as z from 'zod'
import type { Sql } from '../../../_kit/sql/sql.ts'
import { deleted } from './merge-blocks.ts'
import type { MergeRun } from './merge-run.ts'

const SeqRow = z.object({ seq: z.int() })
const EndRow = z.object({ next_seq: z.int() })
const BaseRow = z.object({ no: z.int() })

interface NumberedChunk {
  seq: number
  base: number
}

/** The numbers that the chunks of a shard get. */
export interface NewNumbers {
  /** Number of chunks. Those below it keep their number. */
  count: number
  /** The numbers below this one are reassigned. Chunks that are added later follow. */
  end: number
  /** New number by old one, for chunks from `count` on: a number that a deleted chunk had. */
  moved: ReadonlyMap<number, number>
  /** Base of each chunk by new number. */
  bases: Int32Array
  /** New number of a chunk; `deleted` if it does not exist. */
  numberOf(seq: number): number
}

/** Assigns the numbers of deleted chunks to the chunks with the highest numbers. */
export async function assignNumbers(sql: Sql, { shard }: MergeRun): Promise<NewNumbers> {
  const row = await sql.row(EndRow)`select next_seq from knowledge.shards where no = ${shard}`
  const end = row?.next_seq ?? 0
  const chunks = await loadChunks(sql, shard, end)
  const count = chunks.length
  const exists = new Uint8Array(count)
  for (const { seq } of chunks) if (seq < count) exists[seq] = 1
  const moved = new Map<number, number>()
  const bases = new Int32Array(count)
  let free = exists.indexOf(0)
  for (const { seq, base } of chunks) {
    if (seq < count) {
      bases[seq] = base
      continue
    }
    moved.set(seq, free)
    bases[free] = base
    free = exists.indexOf(0, free + 1)
  }
  const numberOf = (seq: number) => {
    if (seq < count) return exists[seq] === 1 ? seq : deleted
    return moved.get(seq) ?? deleted
  }
  return { count, end, moved, bases, numberOf }
}

/** Sequence numbers per statement. */
const pageSize = 10_000

/** Loads the chunks of a shard with numbers below `end`. None is added below it meanwhile. */
async function loadChunks(sql: Sql, shard: number, end: number): Promise<NumberedChunk[]> {
  const bases = await sql.rows(BaseRow)`
    select no from knowledge.bases where shard = ${shard} order by no`
  const chunks: NumberedChunk[] = []
  for (const { no: base } of bases) {
    for (let after = -1; ; ) {
      const rows = await sql.rows(SeqRow)`
        select seq from knowledge.chunks where base = ${base} and seq > ${after} and seq < ${end}
        order by seq limit ${pageSize}`
      for (const { seq } of rows) chunks.push({ seq, base })
      if (rows.length < pageSize) break
      after = rows.at(-1)!.seq
    }
  }
  return chunks
}
