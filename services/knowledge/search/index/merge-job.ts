import * as z from 'zod'
import type { ServiceContext } from '../../../_kit/context.ts'
import { enqueue, type JobContext } from '../../../_kit/jobs.ts'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { Deps } from '../../deps.ts'
import { countCitations } from './count-citations.ts'
import { mergeBlocks } from './merge-blocks.ts'
import { type PostingRow, writePostings } from './postings.ts'
import { loadSegments, type SegmentRow } from './segment.ts'

const Payload = z.object({ base: z.int() })
const MergeState = z.object({
  added_since_merge: z.int(),
  deleted_since_merge: z.int(),
  chunks: z.int(),
  next_seq: z.int(),
  segments: z.int(),
})
type MergeState = z.infer<typeof MergeState>
const SeqRow = z.object({ seq: z.int() })
const BlockRow = z.object({ term: z.int(), block: z.int(), entries: z.string() })

/** Number of unmerged segments from which they are merged, and the most that one run loads. */
const minSegments = 16
const maxSegments = 64
/** Changes from which a base is compacted, if they are also a quarter of the chunks. */
const minChangesToCompact = 1_024

const isDue = (changes: number, { chunks }: MergeState) =>
  changes >= Math.max(minChangesToCompact, chunks / 4)

/** Enqueues a merge of a base's segments if enough has changed, in the caller's transaction. */
export async function enqueueMerge(sql: Sql, base: number) {
  const state = await loadState(sql, base)
  if (!state) return
  const changes = Math.max(state.added_since_merge, state.deleted_since_merge)
  if (state.segments < minSegments && !isDue(changes, state)) return
  await enqueue(sql, 'knowledge', { kind: 'merge', payload: { base }, key: String(base) })
}

const loadState = (sql: Sql, base: number) => sql.row(MergeState)`
  select added_since_merge, deleted_since_merge, chunks, next_seq,
    (select count(*) from knowledge.segments where base = ${base}) as segments
  from knowledge.bases where no = ${base}`

/** A merge of n chunks takes n / 512 steps; each step rewrites one range of terms. */
const chunksPerStep = 512

/**
 * Moves segments into the postings of their blocks. After many deletions it also rewrites the blocks
 * without deleted chunks. Each step is a transaction of its own: searches see every chunk at any time,
 * and writers wait for one step at most. An interrupted merge is resumed by the next one.
 */
export async function mergeSegments(
  { sql }: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { base } = Payload.parse(payload)
  const state = await loadState(sql, base)
  if (!state) return
  const compacts = isDue(state.deleted_since_merge, state)
  const isLive = compacts ? await loadLiveChunks(sql, base, state.next_seq) : () => true
  do {
    const segments = await loadSegments(sql, base, maxSegments)
    await mergeAll(sql, base, segments, { compacts, isLive, state }, job)
    if (segments.length < maxSegments) break
  } while (!compacts)
  const changes = Math.max(state.added_since_merge, state.deleted_since_merge)
  if (!compacts && !isDue(changes, state)) return
  await countCitations(sql, base)
  await sql`
    update knowledge.bases set merge_generation = merge_generation + 1,
      added_since_merge = added_since_merge - ${state.added_since_merge},
      deleted_since_merge = deleted_since_merge - ${compacts ? state.deleted_since_merge : 0}
    where no = ${base}`
}

interface MergeOptions {
  compacts: boolean
  isLive: (seq: number) => boolean
  state: MergeState
}

async function mergeAll(
  sql: Sql,
  base: number,
  segments: readonly SegmentRow[],
  { compacts, isLive, state }: MergeOptions,
  job: JobContext,
) {
  if (segments.length === 0 && !compacts) return
  const ids = numberArray(segments.map(({ id }) => id))
  const chunks = compacts ? state.chunks + state.deleted_since_merge : segments.length * 500
  // Term ids are hashes: equal ranges of 32-bit numbers hold equally many terms.
  const steps = Math.max(1, Math.ceil(chunks / chunksPerStep))
  const from = (step: number) => Math.round((2 ** 32 * step) / steps) - 2 ** 31
  for (let step = 0; step < steps; step++) {
    job.signal.throwIfAborted()
    const [first, end] = [from(step), from(step + 1)]
    await sql.transaction(async (sql) => {
      await sql`select from knowledge.bases where no = ${base} for update`
      const unmerged = await refreshSegments(sql, base, segments)
      const blocks = compacts ? await takeBlocks(sql, base, first, end - 1) : []
      await writePostings(sql, base, mergeBlocks(blocks, unmerged, first, end, isLive))
      await sql`
        update knowledge.segments set merged_below = ${end}
        where base = ${base} and id = any(${ids}) and merged_below < ${end}`
      if (step === steps - 1) {
        await sql`delete from knowledge.segments where base = ${base} and id = any(${ids})`
      }
    })
  }
}

const MergedRow = z.object({ id: z.int(), merged_below: z.int() })

/** Segments as they are now that the base is locked: another merge may have taken some since they were loaded. */
async function refreshSegments(sql: Sql, base: number, segments: readonly SegmentRow[]) {
  const rows = await sql.rows(MergedRow)`
    select id, merged_below from knowledge.segments
    where base = ${base} and id = any(${numberArray(segments.map(({ id }) => id))})`
  const mergedBelow = new Map(rows.map(({ id, merged_below }) => [id, merged_below]))
  return segments.flatMap((segment) => {
    const merged_below = mergedBelow.get(segment.id)
    return merged_below === undefined ? [] : [{ ...segment, merged_below }]
  })
}

const takeBlocks = (sql: Sql, base: number, first: number, last: number): Promise<PostingRow[]> =>
  sql.rows(BlockRow)`
    delete from knowledge.postings where base = ${base} and term between ${first} and ${last}
    returning term, block, entries`

/** Loads the existing chunks. Chunks from `next` on were added since and count as live. */
async function loadLiveChunks(sql: Sql, base: number, next: number) {
  const rows = await sql.rows(SeqRow)`select seq from knowledge.chunks where base = ${base}`
  const live = new Uint8Array(next)
  for (const { seq } of rows) live[seq] = 1
  return (seq: number) => seq >= next || live[seq] === 1
}
