import * as z from 'zod'
import { enqueue, type JobContext } from '../../../_kit/jobs.ts'
import type { ServiceContext } from '../../../_kit/service.ts'
import type { Sql } from '../../../_kit/sql/sql.ts'
import type { Deps } from '../../deps.ts'
import { countCitations } from './count-citations.ts'
import {
  blockSize,
  decodePosting,
  mergedSegment,
  offsetInBlock,
  type PostingRow,
  postingLength,
  writePostings,
} from './postings.ts'

const Payload = z.object({ base: z.int() })
const MergeState = z.object({
  added_since_merge: z.int(),
  deleted_since_merge: z.int(),
  chunks: z.int(),
  next_seq: z.int(),
})
const SeqRow = z.object({ seq: z.int() })
const SegmentRow = z.object({
  term: z.int(),
  block: z.int(),
  segment: z.int(),
  entries: z.string(),
})

/** Changes from which a merge is worthwhile, if they are also a quarter of the chunks. */
const minChangesToMerge = 1_024

/** Enqueues a merge of a base's segments if enough has changed, in the caller's transaction. */
export async function enqueueMerge(sql: Sql, base: number) {
  const state = await loadState(sql, base)
  if (!state) return
  const { added_since_merge: added, deleted_since_merge: deleted, chunks } = state
  if (Math.max(added, deleted) < Math.max(minChangesToMerge, chunks / 4)) return
  await enqueue(sql, 'knowledge', { kind: 'merge', payload: { base }, key: String(base) })
}

/** A merge of n chunks takes n / 512 steps; each step rewrites one range of terms. */
const chunksPerStep = 512

/**
 * Merges the segments of each block and drops postings of deleted chunks. Each step is a transaction of
 * its own: searches see every chunk at any time, and writers wait for one step at most.
 */
export async function mergeSegments(
  { sql }: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { base } = Payload.parse(payload)
  const state = await loadState(sql, base)
  if (!state) return
  const isLive = await loadLiveChunks(sql, base, state.next_seq)
  // Term ids are hashes: equal ranges of 32-bit numbers hold equally many terms.
  const steps = Math.max(1, Math.ceil((state.chunks + state.deleted_since_merge) / chunksPerStep))
  const from = (step: number) => Math.round((2 ** 32 * step) / steps) - 2 ** 31
  for (let step = 0; step < steps; step++) {
    job.signal.throwIfAborted()
    await sql.transaction((sql) => mergeTerms(sql, base, isLive, from(step), from(step + 1) - 1))
  }
  await countCitations(sql, base)
  await sql`
    update knowledge.bases set merge_generation = merge_generation + 1,
      added_since_merge = added_since_merge - ${state.added_since_merge},
      deleted_since_merge = deleted_since_merge - ${state.deleted_since_merge}
    where no = ${base}`
}

const loadState = (sql: Sql, base: number) => sql.row(MergeState)`
  select added_since_merge, deleted_since_merge, chunks, next_seq
  from knowledge.bases where no = ${base}`

async function mergeTerms(
  sql: Sql,
  base: number,
  isLive: IsLive,
  firstTerm: number,
  lastTerm: number,
) {
  await sql`select from knowledge.bases where no = ${base} for update`
  const rows = await sql.rows(SegmentRow)`
    delete from knowledge.postings where base = ${base} and term between ${firstTerm} and ${lastTerm}
    returning term, block, segment, entries`
  await writePostings(sql, base, mergeBlocks(rows, isLive))
}

/** Loads the existing chunks. Chunks from `next` on were added since and count as live. */
async function loadLiveChunks(sql: Sql, base: number, next: number): Promise<IsLive> {
  const rows = await sql.rows(SeqRow)`select seq from knowledge.chunks where base = ${base}`
  const seqs = new Set(rows.map(({ seq }) => seq))
  return (seq) => seq >= next || seqs.has(seq)
}

type IsLive = (seq: number) => boolean

function mergeBlocks(rows: readonly PostingRow[], isLive: IsLive): PostingRow[] {
  const blocks = new Map<string, PostingRow>()
  for (const { term, block, entries } of rows) {
    const key = `${term} ${block}`
    const merged = blocks.get(key) ?? { term, block, segment: mergedSegment, entries: '' }
    for (let at = 0; at < entries.length; at += postingLength) {
      if (isLive(block * blockSize + offsetInBlock(decodePosting(entries, at)))) {
        merged.entries += entries.slice(at, at + postingLength)
      }
    }
    blocks.set(key, merged)
  }
  return [...blocks.values()].filter(({ entries }) => entries !== '')
}
