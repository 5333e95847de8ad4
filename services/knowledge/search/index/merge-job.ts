import * as z from 'zod'
import type { ServiceContext } from '../../../_kit/context.ts'
import { enqueue, type JobContext } from '../../../_kit/jobs.ts'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { Deps } from '../../deps.ts'
import { countCitations } from './count-citations.ts'
import { mergeBlocks } from './merge-blocks.ts'
import {
  beginMerge,
  isMerging,
  lockMergedShard,
  type MergeRun,
  shardChunks,
  termRanges,
} from './merge-run.ts'
import { writePostings } from './postings.ts'
import { renumberChunks } from './renumber.ts'
import { loadSegments, type SegmentRow } from './segment.ts'

const Payload = z.object({ shard: z.int() })
const MergeState = z.object({
  shard: z.int(),
  added_since_merge: z.int(),
  chunks: z.int(),
  next_seq: z.int(),
  purge: z.boolean(),
  segments: z.int(),
})

/** Number of unmerged segments from which they are merged, and the most that one round loads. */
const minSegments = 16
const maxSegments = 64
/** Added chunks from which citations are counted again, if they are also a quarter of the chunks. */
const minAdded = 1_024
/** Unused sequence numbers from which a shard is renumbered, if they are also a quarter of the chunks. */
const minUnused = 256
const retryMs = 2_000

type Counters = Pick<MergeRun, 'added_since_merge' | 'chunks' | 'next_seq' | 'purge'>

const hasManyAdded = ({ added_since_merge, chunks }: Counters) =>
  added_since_merge >= Math.max(minAdded, chunks / 4)

/** True if a renumbering is due: many numbers are unused, or a base was deleted. */
const needsRenumbering = ({ next_seq, chunks, purge }: Counters) =>
  purge || next_seq - chunks >= Math.max(minUnused, chunks / 4)

/** Enqueues a merge of the segments of a base's shard if enough has changed, in the caller's transaction. */
export async function enqueueMerge(sql: Sql, base: number) {
  const state = await sql.row(MergeState)`
    select shard.no as shard, added_since_merge, next_seq, purge, ${shardChunks} as chunks,
      (select count(*) from knowledge.segments segment where segment.shard = shard.no) as segments
    from knowledge.bases own join knowledge.shards shard on shard.no = own.shard
    where own.no = ${base}`
  if (!state) return
  if (state.segments >= minSegments || hasManyAdded(state) || needsRenumbering(state)) {
    await enqueueShardMerge(sql, state.shard)
  }
}

/** Enqueues a merge of a shard. */
export const enqueueShardMerge = (sql: Sql, shard: number, delayMs = 0) =>
  enqueue(sql, 'knowledge', { kind: 'merge', payload: { shard }, key: String(shard), delayMs })

/**
 * Moves segments into the postings of their blocks. After many deletions, and after that of a base, it also
 * renumbers the chunks, which drops the postings of deleted ones. Each step is a transaction of its own: searches see every chunk at any
 * time. An interrupted merge is resumed by the next one.
 */
export async function mergeSegments(
  context: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { sql } = context
  const { shard } = Payload.parse(payload)
  if (await isMerging(sql, shard, job)) {
    await enqueueShardMerge(sql, shard, retryMs)
    return
  }
  const run = await beginMerge(sql, shard)
  if (!run) return
  for (;;) {
    const segments = await loadSegments(sql, shard, maxSegments)
    await mergeAll(sql, run, segments, job)
    if (segments.length < maxSegments) break
  }
  const renumbers = needsRenumbering(run)
  if (renumbers) await renumberChunks(context, run, job)
  if (!renumbers && !hasManyAdded(run)) return
  await countCitations(sql, shard)
  await sql`
    update knowledge.shards set merge_generation = merge_generation + 1,
      added_since_merge = added_since_merge - ${run.added_since_merge}
    where no = ${shard}`
}

async function mergeAll(
  sql: Sql,
  run: MergeRun,
  segments: readonly SegmentRow[],
  { signal }: JobContext,
) {
  if (segments.length === 0) return
  const { shard, numbering } = run
  const ids = numberArray(segments.map(({ id }) => id))
  const ranges = termRanges(segments.length * 500)
  for (const range of ranges) {
    signal.throwIfAborted()
    await sql.transaction(async (sql) => {
      await lockMergedShard(sql, run)
      await writePostings(sql, shard, numbering, mergeBlocks([], segments, range))
      await sql`
        update knowledge.segments set merged_below = ${range.end}
        where shard = ${shard} and id = any(${ids}) and merged_below < ${range.end}`
      if (range === ranges.at(-1)) {
        await sql`delete from knowledge.segments where shard = ${shard} and id = any(${ids})`
      }
    })
  }
}
