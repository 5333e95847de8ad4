import * as z from 'zod'
import type { ServiceContext } from '../../../_kit/context.ts'
import type { JobContext } from '../../../_kit/jobs.ts'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { Deps } from '../../deps.ts'
import { enqueueChunks } from '../../qdrant/change-queue.ts'
import { deleted, mergeBlocks } from './merge-blocks.ts'
import { lockMergedBase, type MergeRun, termRanges } from './merge-run.ts'
import { type PostingRow, writePostings } from './postings.ts'
import { loadSegments } from './segment.ts'

const SeqRow = z.object({ seq: z.int() })
const EndRow = z.object({ next_seq: z.int() })
const BlockRow = z.object({ term: z.int(), block: z.int(), entries: z.string() })

/** Deleted chunks that are expected to have postings left, beyond four times the chunks that exist. */
const maxDeleted = 100_000

/** The numbers that the chunks of a base get. */
interface NewNumbers {
  /** Number of chunks. Those below it keep their number. */
  count: number
  /** The numbers below this one are reassigned. Chunks that are added later follow. */
  end: number
  /** New number by old one, for chunks from `count` on: a number that a deleted chunk had. */
  moved: ReadonlyMap<number, number>
  /** New number of a chunk; `deleted` if it does not exist. */
  numberOf(seq: number): number
}

/**
 * Gives the chunks of a base the numbers from 0 on, so that the memory of searches follows the content of the
 * base. The postings are written again under the next numbering, a range of terms per transaction. Then one
 * transaction moves the chunks to their new numbers and makes the numbering current.
 */
export async function renumberChunks(
  { sql, qdrant }: Pick<ServiceContext<Deps>, 'sql' | 'qdrant'>,
  run: MergeRun,
  { signal }: JobContext,
) {
  const numbers = await assignNumbers(sql, run.base)
  const segments = await loadSegments(sql, run.base, undefined, numbers.end)
  const ranges = termRanges(Math.min(run.next_seq, 4 * run.chunks + maxDeleted))
  for (const range of ranges) {
    signal.throwIfAborted()
    await sql.transaction(async (sql) => {
      await lockMergedBase(sql, run)
      await deleteOtherPostings(sql, run.base, run.numbering, range)
      const blocks = await readBlocks(sql, run, range)
      const rows = mergeBlocks(blocks, segments, range, numbers.numberOf)
      await writePostings(sql, run.base, run.numbering + 1, rows)
    })
  }
  await sql.transaction(async (sql) => {
    const changed = await switchNumbers(sql, run, numbers)
    if (!qdrant) return
    await enqueueChunks(sql, run.base, changed)
    await sql`update knowledge.bases set index_behind = true where no = ${run.base}`
  })
  for (const range of ranges) {
    signal.throwIfAborted()
    await deleteOtherPostings(sql, run.base, run.numbering + 1, range)
  }
}

/** Assigns the numbers of deleted chunks to the chunks with the highest numbers. */
async function assignNumbers(sql: Sql, base: number): Promise<NewNumbers> {
  const row = await sql.row(EndRow)`select next_seq from knowledge.bases where no = ${base}`
  const end = row?.next_seq ?? 0
  const seqs = await loadSeqs(sql, base, end)
  const count = seqs.length
  const exists = new Uint8Array(count)
  for (const seq of seqs) if (seq < count) exists[seq] = 1
  const moved = new Map<number, number>()
  let free = exists.indexOf(0)
  for (const seq of seqs) {
    if (seq < count) continue
    moved.set(seq, free)
    free = exists.indexOf(0, free + 1)
  }
  const numberOf = (seq: number) => {
    if (seq < count) return exists[seq] === 1 ? seq : deleted
    return moved.get(seq) ?? deleted
  }
  return { count, end, moved, numberOf }
}

/** Sequence numbers per statement. */
const pageSize = 10_000

/** Loads the numbers of the chunks below `end`, ascending. None is added below it meanwhile. */
async function loadSeqs(sql: Sql, base: number, end: number): Promise<number[]> {
  const seqs: number[] = []
  for (;;) {
    const rows = await sql.rows(SeqRow)`
      select seq from knowledge.chunks where base = ${base} and seq > ${seqs.at(-1) ?? -1}
        and seq < ${end} order by seq limit ${pageSize}`
    for (const { seq } of rows) seqs.push(seq)
    if (rows.length < pageSize) return seqs
  }
}

interface TermRange {
  first: number
  end: number
}

const readBlocks = (sql: Sql, { base, numbering }: MergeRun, { first, end }: TermRange) =>
  sql.rows(BlockRow)`
    select term, block, entries from knowledge.postings
    where base = ${base} and term between ${first} and ${end - 1} and numbering = ${numbering}` as Promise<
    PostingRow[]
  >

/** Deletes postings of other numberings: the former one, or what an interrupted renumbering left. */
const deleteOtherPostings = (
  sql: Sql,
  base: number,
  numbering: number,
  { first, end }: TermRange,
) => sql`
  delete from knowledge.postings
  where base = ${base} and term between ${first} and ${end - 1} and numbering <> ${numbering}`

/**
 * Moves the chunks to their new numbers, in the caller's transaction; returns the numbers whose chunk changed.
 * A number is free before a chunk moves to it. Chunks that were added since the numbers were assigned move
 * down by the width of the gap, in parts of that width.
 */
async function switchNumbers(sql: Sql, run: MergeRun, numbers: NewNumbers): Promise<number[]> {
  const { base, numbering } = run
  const { count, end, moved } = numbers
  await sql`set local statement_timeout = 0`
  const { next_seq } = await lockMergedBase(sql, run)
  const gap = end - count
  await sql`
    update knowledge.chunks chunk set seq = moved.next
    from unnest(${ints([...moved.keys()])}, ${ints([...moved.values()])}) moved (seq, next)
    where chunk.base = ${base} and chunk.seq = moved.seq`
  for (let from = end; from < next_seq && gap > 0; from += gap) {
    await sql`
      update knowledge.chunks set seq = seq - ${gap}
      where base = ${base} and seq >= ${from} and seq < ${from + gap}`
  }
  await sql`delete from knowledge.segments where base = ${base} and first_seq < ${end}`
  await sql`
    update knowledge.segments set first_seq = first_seq - ${gap}, end_seq = end_seq - ${gap}
    where base = ${base}`
  await sql`
    update knowledge.bases set numbering = ${numbering + 1}, next_seq = next_seq - ${gap},
      version = version + 1
    where no = ${base}`
  const added = Array.from({ length: next_seq - end }, (_, index) => end + index)
  return [...new Set([...moved, ...added.map((seq) => [seq, seq - gap])].flat())]
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
