import * as z from 'zod'
import { fragment, type SqlFragment } from '../_kit/sql/sql.ts'

export const DryRunFields = z.object({
  dry_run: z.boolean().default(false).describe('Return the counts without writing.'),
  digest: z
    .boolean()
    .default(false)
    .describe('With dry_run: return a digest of the records that would be replaced.'),
})

export const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  digest: z.string().optional(),
})

export const PlannedCounts = z.object({ created: z.int(), updated: z.int(), digest: z.string() })

export const withUnchanged = <T extends { created: number; updated: number }>(
  counts: T,
  records: readonly unknown[],
) => ({ ...counts, unchanged: records.length - counts.created - counts.updated })

/** Digest of the records that would be replaced. Empty if there are none. */
export const digestFragment = (record: SqlFragment, differs: SqlFragment) => fragment`
  coalesce(md5(string_agg(md5(${record}::text), '' order by ${record}.key) filter (where ${differs})), '')`

type Refinement = z.core.$RefinementCtx

export function rejectDuplicateKeys(
  list: string,
  records: readonly { key: string }[],
  issue: Refinement,
) {
  const seen = new Set<string>()
  records.forEach(({ key }, index) => {
    if (seen.has(key)) {
      issue.addIssue({ code: 'custom', path: [list, index, 'key'], message: 'Duplicate key.' })
    }
    seen.add(key)
  })
}
