import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Key } from '../_kit/fields.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { Counts, digestOf, eachOnce, Foreseen, Trial, withUnchanged } from './batch.ts'
import { Description } from './config.ts'
import { post } from './deps.ts'
import { Rules } from './flag.ts'

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
    ...Trial.shape,
  })
  .superRefine(({ flags }, issue) => eachOnce('flags', flags, issue))
type Flags = z.output<typeof Batch>['flags']

export const flagBatch = [
  post(
    '/api/v1/internal/platform/feature-flags/batch',
    {
      summary: 'Write many feature flags, all or none',
      description: 'Members left out stay; a new flag is off unless it says otherwise.',
      body: Batch,
      example: { flags: [{ key: 'matters.analysis', enabled: true }], dry_run: true },
      responses: { 200: Counts },
    },
    async (c, { body }) => {
      const { sql } = c.env
      const { flags } = body
      if (body.dry_run) {
        const { digest, ...counts } = await count(sql, flags)
        return ok(c, { ...withUnchanged(counts, flags), ...(body.digest && { digest }) })
      }
      return ok(c, withUnchanged(await sql.transaction((sql) => write(sql, flags)), flags))
    },
  ),
]

const given = (flags: Flags) => fragment`
  jsonb_to_recordset(${json(flags)})
    as given (key text, enabled boolean, description text, rules jsonb)`

const differs = fragment`(flag.enabled <> given.enabled or flag.description <> given.description
  or flag.rules <> given.rules)`

async function count(sql: Sql, flags: Flags) {
  const counts = await sql.row(Foreseen)`
    select count(*) filter (where flag.key is null) as created,
      count(*) filter (where ${differs}) as updated, ${digestOf(fragment`flag`, differs)} as digest
    from ${given(flags)} left join platform.feature_flags flag using (key)`
  return counts!
}

/** Rows are taken in order of key, so that two batches never wait for each other. */
async function write(sql: Sql, flags: Flags) {
  const created = await sql`
    insert into platform.feature_flags (key, enabled, description, rules)
    select key, coalesce(enabled, false), coalesce(description, ''), coalesce(rules, '[]')
    from ${given(flags)} order by key collate "C"
    on conflict (key) do nothing returning key`
  const keys = textArray(flags.map(({ key }) => key))
  await sql`select key from platform.feature_flags where key = any(${keys}) order by key for update`
  const updated = await sql`
    update platform.feature_flags flag
    set enabled = coalesce(given.enabled, flag.enabled),
      description = coalesce(given.description, flag.description),
      rules = coalesce(given.rules, flag.rules), version = flag.version + 1, updated_at = now()
    from ${given(flags)} where flag.key = given.key and ${differs} returning flag.key`
  return { created: created.length, updated: updated.length }
}
