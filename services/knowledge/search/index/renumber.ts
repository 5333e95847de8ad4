import * as z from 'zod'
import type { ServiceContext } from '../../../_kit/context.ts'
import type { JobContext } from '../../../_kit/jobs.ts'
import type { Sql } from '../../../_kit/sql/sql.ts'
import type { Deps } from '../../deps.ts'
import { enqueueChunks } from '../../qdrant/change-queue.ts'
import { assignNumbers } from './assign-numbers.ts'
import { mergeBlocks } from './merge-blocks.ts'
import { lockMergedShard, type MergeRun, termRanges } from './merge-run.ts'
import { type PostingRow, writePostings } from './postings.ts'
import { loadSegments } from './segment.ts'
import { switchNumbers } from './switch-numbers.ts'

const BlockRow = z.object({ term: z.int(), block: z.int(), entries: z.string() })

/** Deleted chunks that are expected to have postings left, beyond four times the chunks that exist. */
const maxDeleted = 100_000

/**
 * Gives the chunks of a shard the numbers from 0 on, so that the memory of searches follows the content of its
 * bases. The postings are written again under the next numbering, a range of terms per transaction. Then one
 * transaction moves the chunks to their new numbers and makes the numbering current.
 */
export async function renumberChunks(
  { sql, qdrant }: Pick<ServiceContext<Deps>, 'sql' | 'qdrant'>,
  run: MergeRun,
  { signal }: JobContext,
) {
  const { shard, numbering } = run
  const numbers = await assignNumbers(sql, run)
  const segments = await loadSegments(sql, shard, undefined, numbers.end)
  const ranges = termRanges(Math.min(run.next_seq, 4 * run.chunks + maxDeleted))
  for (const range of ranges) {
    signal.throwIfAborted()
    await sql.transaction(async (sql) => {
      await lockMergedShard(sql, run)
      await deleteOtherPostings(sql, shard, numbering, range)
      const blocks = await readBlocks(sql, run, range)
      const rows = mergeBlocks(blocks, segments, range, numbers.numberOf)
      await writePostings(sql, shard, numbering + 1, rows)
    })
  }
  await sql.transaction(async (sql) => {
    const changed = await switchNumbers(sql, run, numbers)
    if (!qdrant) return
    for (const [base, seqs] of changed) {
      await enqueueChunks(sql, base, seqs)
      await sql`update knowledge.bases set index_behind = true where no = ${base}`
    }
  })
  for (const range of ranges) {
    signal.throwIfAborted()
    await deleteOtherPostings(sql, shard, numbering + 1, range)
  }
}

interface TermRange {
  first: number
  end: number
}

const readBlocks = (sql: Sql, { shard, numbering }: MergeRun, { first, end }: TermRange) =>
  sql.rows(BlockRow)`
    select term, block, entries from knowledge.postings
    where shard = ${shard} and term between ${first} and ${end - 1} and numbering = ${numbering}` as Promise<
    PostingRow[]
  >

/** Deletes postings of other numberings: the former one, or what an interrupted renumbering left. */
const deleteOtherPostings = (
  sql: Sql,
  shard: number,
  numbering: number,
  { first, end }: TermRange,
) => sql`
  delete from knowledge.postings
  where shard = ${shard} and term between ${first} and ${end - 1} and numbering <> ${numbering}`
