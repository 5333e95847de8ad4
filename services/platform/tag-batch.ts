import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { Id, Key } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, json, type Sql, type SqlFragment, textArray } from '../_kit/sql/sql.ts'
import { recordPlatformChanges } from './audit-chain.ts'
import { Counts, DryRunFields, rejectDuplicateKeys } from './batch.ts'
import { post } from './deps.ts'
import { Description } from './versioned-resource.ts'

const TagRecord = z.object({
  key: Key,
  name: z.string().min(1).max(200),
  description: Description.optional(),
})
const list = <T extends z.ZodType>(record: T) => z.array(record).max(10_000).default([])

const Batch = z
  .object({
    tag_groups: list(TagRecord),
    tags: list(TagRecord.extend({ group_key: Key.nullish() })),
    categories: list(TagRecord.extend({ parent_key: Key.nullish() })),
    domains: list(TagRecord),
    ...DryRunFields.shape,
  })
  .superRefine(({ tag_groups, tags, categories, domains }, issue) => {
    for (const [name, records] of Object.entries({ tag_groups, tags, categories, domains })) {
      rejectDuplicateKeys(name, records, issue)
    }
  })

type Batch = z.output<typeof Batch>
interface WriteResult {
  subject: string
  created: TagRef[]
  updated: TagRef[]
  digest: string
}

export const tagBatch = [
  post(
    '/api/v1/internal/platform/tags/batch',
    {
      summary: 'Create or update tags, tag groups, categories and domains in one transaction',
      description:
        'Tags reference their group and categories their parent by key; null for none. Omitted fields stay unchanged.',
      body: Batch,
      bodyLimit: 32 * 1024 * 1024,
      example: {
        tag_groups: [{ key: 'urgency', name: 'Urgency' }],
        tags: [{ key: 'urgency.high', name: 'High', group_key: 'urgency' }],
        dry_run: true,
      },
      responses: { 200: Counts },
    },
    async (c, { body }) => {
      const results = body.dry_run
        ? await dryRun(c.env.sql, body)
        : await c.env.sql.transaction(async (sql) => {
            const results = await writer(body)(sql)
            await recordResults(sql, c.var.caller, results, body.source)
            return results
          })
      const records = [body.tag_groups, body.tags, body.categories, body.domains].flat().length
      const created = results.reduce((sum, each) => sum + each.created.length, 0)
      const updated = results.reduce((sum, each) => sum + each.updated.length, 0)
      const digest = results
        .map((each) => each.digest)
        .join(' ')
        .trim()
      const digestField = body.dry_run && body.digest ? { digest } : {}
      return ok(c, { created, updated, unchanged: records - created - updated, ...digestField })
    },
  ),
]

/** Records every change like a single write, with the seed package it comes from. */
const recordResults = (sql: Sql, caller: Caller, results: WriteResult[], source: Batch['source']) =>
  recordPlatformChanges(
    sql,
    caller,
    results.flatMap(({ subject, ...result }) =>
      (['created', 'updated'] as const).flatMap((change) =>
        result[change].map(({ id, key }) => ({
          action: `${subject}.${change}`,
          resource: `${subject}:${id}`,
          details: { key, ...(source && { source }) },
        })),
      ),
    ),
  )

class DryRunRollback extends Error {
  readonly results: WriteResult[]
  constructor(results: WriteResult[]) {
    super('dry run')
    this.results = results
  }
}

/** Writes the batch and rolls it back, so that the dry run reports exactly what a write would do. */
async function dryRun(sql: Sql, body: Batch): Promise<WriteResult[]> {
  try {
    return await sql.transaction(async (sql) => {
      throw new DryRunRollback(await writer(body)(sql))
    })
  } catch (thrown) {
    if (thrown instanceof DryRunRollback) return thrown.results
    throw thrown
  }
}

const writer =
  ({ tag_groups, tags, categories, domains }: Batch) =>
  async (sql: Sql): Promise<WriteResult[]> => {
    // Serialized: two concurrent batches could form a cycle of categories together.
    await sql`select pg_advisory_xact_lock(hashtext('platform.categories'))`
    const groups = {
      path: 'tags',
      member: 'group_key',
      column: fragment`group_id`,
      table: fragment`platform.tag_groups`,
    }
    const parents = {
      path: 'categories',
      member: 'parent_key',
      column: fragment`parent_id`,
      table: fragment`platform.categories`,
    }
    const results = [
      await upsert(sql, 'tag_group', fragment`platform.tag_groups`, tag_groups),
      await upsert(sql, 'tag', fragment`platform.tags`, tags, groups),
      await upsert(sql, 'category', fragment`platform.categories`, categories, parents),
      await upsert(sql, 'domain', fragment`platform.domains`, domains),
    ]
    await rejectCycles(sql)
    return results
  }

/** Reference to another record by key. */
interface Reference {
  path: string
  member: string
  column: SqlFragment
  table: SqlFragment
}

const ByKey = z.object({ key: z.string() })
const TagRef = z.object({ id: Id, key: z.string() })
type TagRef = z.infer<typeof TagRef>
const Replaced = TagRef.extend({ digest: z.string() })

async function upsert(
  sql: Sql,
  subject: string,
  table: SqlFragment,
  records: Batch['domains'],
  reference?: Reference,
): Promise<WriteResult> {
  const rows = records.map((record) => {
    const referencedKey =
      reference && (record as Record<string, string | null | undefined>)[reference.member]
    return {
      ...record,
      id: newId(),
      refers: referencedKey !== undefined,
      target: referencedKey ?? null,
    }
  })
  const input = fragment`jsonb_to_recordset(${json(rows)}) as input
    (id uuid, key text, name text, description text, refers boolean, target text)`
  const created = await sql.rows(TagRef)`
    insert into ${table} (id, key, name, description)
    select id, key, name, coalesce(description, '') from ${input} order by key collate "C"
    on conflict (key) do nothing returning id, key`
  if (reference)
    await rejectUnknownKeys(
      sql,
      reference,
      rows.map(({ target }) => target),
    )
  const nextReference = reference
    ? fragment`case when input.refers then target.id else record.${reference.column} end`
    : fragment`null`
  const currentReference = reference ? fragment`record.${reference.column}` : fragment`null`
  const source = reference
    ? fragment`${input} left join ${reference.table} target on target.key = input.target`
    : input
  const changed = await sql.rows(Replaced)`
    with replaced as (
      select record.key, md5(record::text) as digest, input.name,
        coalesce(input.description, record.description) as description, ${nextReference} as reference
      from ${table} record, ${source}
      where record.key = input.key and (record.name, record.description, ${currentReference}) is distinct from
        (input.name, coalesce(input.description, record.description), ${nextReference}))
    update ${table} record set name = replaced.name, description = replaced.description,
      ${reference ? fragment`${reference.column} = replaced.reference,` : fragment``} updated_at = now()
    from replaced where record.key = replaced.key returning record.id, record.key, replaced.digest`
  const createdKeys = new Set(created.map(({ key }) => key))
  const updated = changed.filter(({ key }) => !createdKeys.has(key))
  const digests = updated.map(({ digest }) => digest).sort()
  return { subject, created, updated, digest: digests.join('') }
}

async function rejectUnknownKeys(
  sql: Sql,
  { path, member, table }: Reference,
  targets: (string | null)[],
) {
  const referencedKey = targets.filter((target) => target !== null)
  const existing = await sql.rows(
    ByKey,
  )`select key from ${table} where key = any(${textArray(referencedKey)})`
  const keys = new Set(existing.map(({ key }) => key))
  const issues = targets.flatMap((target, index) =>
    target === null || keys.has(target)
      ? []
      : { path: `${path}.${index}.${member}`, message: 'The key does not exist.' },
  )
  if (issues.length > 0) throw invalid(issues.slice(0, 50))
}

/** Maximum depth of the category tree. */
const maxDepth = 100

async function rejectCycles(sql: Sql) {
  const [tooDeep] = await sql.rows(ByKey)`
    with recursive above as (
      select key, parent_id, 1 as level from platform.categories
      union all
      select above.key, next.parent_id, level + 1 from platform.categories next
        join above on next.id = above.parent_id where level <= ${maxDepth})
    select key from above where level > ${maxDepth} limit 1`
  if (!tooDeep) return
  const message = `Category ${tooDeep.key} is in a cycle or deeper than ${maxDepth} levels.`
  throw invalid([{ path: 'categories', message }])
}
