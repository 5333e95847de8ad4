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
import { Value } from './config.ts'
import { post } from './deps.ts'
import { Description } from './versioned-resource.ts'

const Batch = z
  .object({
    configs: z
      .array(z.object({ key: Key, value: Value, description: Description.optional() }))
      .max(1_000),
    ...DryRunFields.shape,
  })
  .superRefine(({ configs }, issue) => rejectDuplicateKeys('configs', configs, issue))
type Batch = z.output<typeof Batch>

export const configBatch = [
  post(
    '/api/v1/internal/platform/configs/batch',
    {
      summary: 'Create or update configs in one transaction',
      description: 'An omitted description stays unchanged.',
      body: Batch,
      responses: { 200: Counts },
    },
    async (c, { body }) => {
      const { sql } = c.env
      const { configs } = body
      if (body.dry_run) {
        const { digest, ...counts } = await countChanges(sql, configs)
        return ok(c, { ...withUnchanged(counts, configs), ...(body.digest && { digest }) })
      }
      const counts = await sql.transaction((sql) => writeConfigs(sql, c.var.caller, body))
      return ok(c, withUnchanged(counts, configs))
    },
  ),
]

/** jsonb_to_recordset returns JSON null as SQL null; the column does not allow SQL null. */
const inputRows = (configs: Batch['configs']) => fragment`(
  select key, coalesce(value, 'null') as value, description
  from jsonb_to_recordset(${json(configs)}) as input (key text, value jsonb, description text)
) input`

const differs = fragment`
  (config.value <> input.value or config.description <> input.description)`

async function countChanges(sql: Sql, configs: Batch['configs']) {
  const counts = await sql.row(PlannedCounts)`
    select count(*) filter (where config.key is null) as created,
      count(*) filter (where ${differs}) as updated, ${digestFragment(fragment`config`, differs)} as digest
    from ${inputRows(configs)} left join platform.configs config using (key)`
  return counts!
}

/** Locks rows in order of key, which prevents deadlocks between batches. */
async function writeConfigs(sql: Sql, caller: Caller, { configs, source }: Batch) {
  const created = await sql.rows(WrittenRecord)`
    insert into platform.configs (key, value, description)
    select key, value, coalesce(description, '') from ${inputRows(configs)} order by key collate "C"
    on conflict (key) do nothing returning key, version`
  const keys = textArray(configs.map(({ key }) => key))
  await sql`select key from platform.configs where key = any(${keys}) order by key for update`
  const updated = await sql.rows(WrittenRecord)`
    update platform.configs config
    set value = input.value, description = coalesce(input.description, config.description),
      version = config.version + 1, updated_at = now()
    from ${inputRows(configs)} where config.key = input.key and ${differs} returning config.key, config.version`
  await recordBatch(sql, caller, 'config', { created, updated }, source)
  return { created: created.length, updated: updated.length }
}
