import * as z from 'zod'
import { Version } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { recordPlatformChanges } from './audit-chain.ts'

/** Seed package that a batch comes from; recorded in the audit log. */
export const BatchSource = z.object({
  package_id: z.string().max(200),
  version: z.string().max(100),
})

export const DryRunFields = z.object({
  source: BatchSource.optional(),
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

export const WrittenRecord = z.object({ key: z.string(), version: Version })
type WrittenRecord = z.infer<typeof WrittenRecord>

/** Records every change of a batch like a single write, with the seed package it comes from. */
export const recordBatch = (
  sql: Sql,
  caller: Caller,
  subject: string,
  changes: { created: WrittenRecord[]; updated: WrittenRecord[] },
  source: z.infer<typeof BatchSource> | undefined,
) =>
  recordPlatformChanges(
    sql,
    caller,
    (['created', 'updated'] as const).flatMap((change) =>
      changes[change].map(({ key, version }) => ({
        action: `${subject}.${change}`,
        resource: `${subject}:${key}`,
        details: { version, ...(source && { source }) },
      })),
    ),
  )
