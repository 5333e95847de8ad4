import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Key } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import {
  Counts,
  DryRunFields,
  digestFragment,
  PlannedCounts,
  recordBatch,
  rejectDuplicateKeys,
  WrittenRecord,
  withUnchanged,
} from './batch.ts'
import { post } from './deps.ts'
import { Rules } from './flag.ts'
import { Description } from './versioned-resource.ts'

const Batch = z
  .object({
    flags: z
      .array(
        z.object({
          key: Key,
          enabled: z.boolean().optional(),
          description: Description.optional(),
          rules: Rules.optional(),
        }),
      )
      .max(1_000),
    ...DryRunFields.shape,
  })
  .superRefine(({ flags }, issue) => rejectDuplicateKeys('flags', flags, issue))
type Batch = z.output<typeof Batch>
type Flags = Batch['flags']

export const flagBatch = [
  post(
    '/api/v1/internal/platform/feature-flags/batch',
    {
      summary: 'Create or update feature flags in one transaction',
      description: 'Omitted fields stay unchanged. A new flag is disabled by default.',
      body: Batch,
      example: { flags: [{ key: 'matters.analysis', enabled: true }], dry_run: true },
      responses: { 200: Counts },
    },
    async (c, { body }) => {
      const { sql } = c.env
      const { flags } = body
      if (body.dry_run) {
        const { digest, ...counts } = await countChanges(sql, flags)
        return ok(c, { ...withUnchanged(counts, flags), ...(body.digest && { digest }) })
      }
      return ok(
        c,
        withUnchanged(await sql.transaction((sql) => writeFlags(sql, c.var.caller, body)), flags),
      )
    },
  ),
]

const inputRows = (flags: Flags) => fragment`
  jsonb_to_recordset(${json(flags)})
    as input (key text, enabled boolean, description text, rules jsonb)`

const differs = fragment`(flag.enabled <> input.enabled or flag.description <> input.description
  or flag.rules <> input.rules)`

async function countChanges(sql: Sql, flags: Flags) {
  const counts = await sql.row(PlannedCounts)`
    select count(*) filter (where flag.key is null) as created,
      count(*) filter (where ${differs}) as updated, ${digestFragment(fragment`flag`, differs)} as digest
    from ${inputRows(flags)} left join platform.feature_flags flag using (key)`
  return counts!
}

/** Locks rows in order of key, which prevents deadlocks between batches. */
async function writeFlags(sql: Sql, caller: Caller, { flags, source }: Batch) {
  const created = await sql.rows(WrittenRecord)`
    insert into platform.feature_flags (key, enabled, description, rules)
    select key, coalesce(enabled, false), coalesce(description, ''), coalesce(rules, '[]')
    from ${inputRows(flags)} order by key collate "C"
    on conflict (key) do nothing returning key, version`
  const keys = textArray(flags.map(({ key }) => key))
  await sql`select key from platform.feature_flags where key = any(${keys}) order by key for update`
  const updated = await sql.rows(WrittenRecord)`
    update platform.feature_flags flag
    set enabled = coalesce(input.enabled, flag.enabled),
      description = coalesce(input.description, flag.description),
      rules = coalesce(input.rules, flag.rules), version = flag.version + 1, updated_at = now()
    from ${inputRows(flags)} where flag.key = input.key and ${differs} returning flag.key, flag.version`
  await recordBatch(sql, caller, 'feature_flag', { created, updated }, source)
  return { created: created.length, updated: updated.length }
}
