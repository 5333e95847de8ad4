import * as z from 'zod'
import type { JobContext } from '../../../_kit/jobs.ts'
import { fragment, type Sql } from '../../../_kit/sql/sql.ts'

const MergeRun = z.object({
  shard: z.int(),
  /** Fencing token: a later run has a higher one. */
  merge_run: z.int(),
  numbering: z.int(),
  added_since_merge: z.int(),
  next_seq: z.int(),
  purge: z.boolean(),
  chunks: z.int(),
})
/** A merge of a shard, with the counters of the shard when it began. */
export type MergeRun = z.infer<typeof MergeRun>

/** Number of chunks of the shard `shard`. */
export const shardChunks = fragment`
  coalesce((select sum(chunks) from knowledge.bases base where base.shard = shard.no), 0)`

/** Begins a merge; undefined if the shard does not exist. */
export const beginMerge = (sql: Sql, shard: number) => sql.row(MergeRun)`
  update knowledge.shards shard set merge_run = merge_run + 1 where no = ${shard}
  returning no as shard, merge_run, numbering, added_since_merge, next_seq, purge,
    ${shardChunks} as chunks`

const LockedShard = z.object({ merge_run: z.int(), next_seq: z.int() })

/** Locks the shard of a merge in the caller's transaction; throws if a later merge has begun. */
export async function lockMergedShard(sql: Sql, { shard, merge_run }: MergeRun) {
  const locked = await sql.row(LockedShard)`
    select merge_run, next_seq from knowledge.shards where no = ${shard} for update`
  if (locked?.merge_run !== merge_run)
    throw new Error(`shard ${shard}: a later merge has begun, or a base has left`)
  return locked
}

/** True if another job merges the shard. Two merges would repeat each other's work. */
export async function isMerging(sql: Sql, shard: number, { id }: JobContext): Promise<boolean> {
  const others = await sql`
    select from knowledge.jobs where kind = 'merge' and status = 'RUNNING' and lease_until > now()
      and payload ->> 'shard' = ${String(shard)} and id::text <> ${id}`
  return others.length > 0
}

/** Chunks whose postings one step of a merge rewrites. */
const chunksPerStep = 512

/** Ranges of terms for the steps of a merge. Term ids are hashes: equal ranges hold equally many terms. */
export function termRanges(chunks: number): { first: number; end: number }[] {
  const steps = Math.max(1, Math.ceil(chunks / chunksPerStep))
  const from = (step: number) => Math.round((2 ** 32 * step) / steps) - 2 ** 31
  return Array.from({ length: steps }, (_, step) => ({ first: from(step), end: from(step + 1) }))
}
