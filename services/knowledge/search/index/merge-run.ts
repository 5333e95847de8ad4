import * as z from 'zod'
import type { JobContext } from '../../../_kit/jobs.ts'
import type { Sql } from '../../../_kit/sql/sql.ts'

const MergeRun = z.object({
  base: z.int(),
  /** Fencing token: a later run has a higher one. */
  merge_run: z.int(),
  numbering: z.int(),
  added_since_merge: z.int(),
  chunks: z.int(),
  next_seq: z.int(),
})
/** A merge of a base, with the counters of the base when it began. */
export type MergeRun = z.infer<typeof MergeRun>

/** Begins a merge; undefined if the base does not exist. */
export const beginMerge = (sql: Sql, base: number) => sql.row(MergeRun)`
  update knowledge.bases set merge_run = merge_run + 1 where no = ${base}
  returning no as base, merge_run, numbering, added_since_merge, chunks, next_seq`

const LockedBase = z.object({ merge_run: z.int(), next_seq: z.int() })

/** Locks the base of a merge in the caller's transaction; throws if a later merge has begun. */
export async function lockMergedBase(sql: Sql, { base, merge_run }: MergeRun) {
  const locked = await sql.row(LockedBase)`
    select merge_run, next_seq from knowledge.bases where no = ${base} for update`
  if (locked?.merge_run !== merge_run) throw new Error(`base ${base}: a later merge has begun`)
  return locked
}

/** True if another job merges the base. Two merges would repeat each other's work. */
export async function isMerging(sql: Sql, base: number, { id }: JobContext): Promise<boolean> {
  const others = await sql`
    select from knowledge.jobs where kind = 'merge' and status = 'RUNNING' and lease_until > now()
      and payload ->> 'base' = ${String(base)} and id::text <> ${id}`
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
