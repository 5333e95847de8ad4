import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { Key } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { Counts, eachOnce, Trial } from './batch.ts'
import { Description } from './config.ts'
import { post } from './deps.ts'

const Named = z.object({
  key: Key,
  name: z.string().min(1).max(200),
  description: Description.optional(),
})
const list = <T extends z.ZodType>(record: T) => z.array(record).max(10_000).default([])

const Batch = z
  .object({
    tag_groups: list(Named),
    tags: list(Named.extend({ group_key: Key.nullish() })),
    categories: list(Named.extend({ parent_key: Key.nullish() })),
    domains: list(Named),
    ...Trial.shape,
  })
  .superRefine(({ tag_groups, tags, categories, domains }, issue) => {
    for (const [name, records] of Object.entries({ tag_groups, tags, categories, domains })) {
      eachOnce(name, records, issue)
    }
  })

type Part = ReturnType<typeof fragment>
type Batch = z.output<typeof Batch>
type Written = { created: number; updated: number; digest: string }

export const tagBatch = [
  post(
    '/api/v1/internal/platform/tags/batch',
    {
      summary: 'Write many tags, groups of tags, categories and domains, all or none',
      description:
        'A tag names its group and a category its parent by key, null for none. Members left out stay.',
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
      const written = body.dry_run
        ? await tried(c.env.sql, body)
        : await c.env.sql.transaction(writer(body))
      const records = [body.tag_groups, body.tags, body.categories, body.domains].flat().length
      const created = written.reduce((sum, each) => sum + each.created, 0)
      const updated = written.reduce((sum, each) => sum + each.updated, 0)
      const digest = written
        .map((each) => each.digest)
        .join(' ')
        .trim()
      const told = body.dry_run && body.digest ? { digest } : {}
      return ok(c, { created, updated, unchanged: records - created - updated, ...told })
    },
  ),
]

class Tried extends Error {
  readonly written: Written[]
  constructor(written: Written[]) {
    super('only tried')
    this.written = written
  }
}

/** Does it all and takes it back, so that a trial can't say anything but what comes of it. */
async function tried(sql: Sql, body: Batch): Promise<Written[]> {
  try {
    return await sql.transaction(async (sql) => {
      throw new Tried(await writer(body)(sql))
    })
  } catch (thrown) {
    if (thrown instanceof Tried) return thrown.written
    throw thrown
  }
}

const writer =
  ({ tag_groups, tags, categories, domains }: Batch) =>
  async (sql: Sql): Promise<Written[]> => {
    // One at a time: two, each of them right, could make a circle of categories together.
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
    const written = [
      await upsert(sql, fragment`platform.tag_groups`, tag_groups),
      await upsert(sql, fragment`platform.tags`, tags, groups),
      await upsert(sql, fragment`platform.categories`, categories, parents),
      await upsert(sql, fragment`platform.domains`, domains),
    ]
    await refuseCircles(sql)
    return written
  }

/** Where records name another by its key. */
interface Reference {
  path: string
  member: string
  column: Part
  table: Part
}

const ByKey = z.object({ key: z.string() })
const Replaced = z.object({ key: z.string(), digest: z.string() })

async function upsert(
  sql: Sql,
  table: Part,
  records: Batch['domains'],
  reference?: Reference,
): Promise<Written> {
  const rows = records.map((record) => {
    const named =
      reference && (record as Record<string, string | null | undefined>)[reference.member]
    return { ...record, id: newId(), refers: named !== undefined, target: named ?? null }
  })
  const given = fragment`jsonb_to_recordset(${json(rows)}) as given
    (id uuid, key text, name text, description text, refers boolean, target text)`
  const created = await sql.rows(ByKey)`
    insert into ${table} (id, key, name, description)
    select id, key, name, coalesce(description, '') from ${given} order by key collate "C"
    on conflict (key) do nothing returning key`
  if (reference)
    await refuseUnknown(
      sql,
      reference,
      rows.map(({ target }) => target),
    )
  const refers = reference
    ? fragment`case when given.refers then target.id else record.${reference.column} end`
    : fragment`null`
  const kept = reference ? fragment`record.${reference.column}` : fragment`null`
  const joined = reference
    ? fragment`${given} left join ${reference.table} target on target.key = given.target`
    : given
  const changed = await sql.rows(Replaced)`
    with replaced as (
      select record.key, md5(record::text) as digest, given.name,
        coalesce(given.description, record.description) as description, ${refers} as reference
      from ${table} record, ${joined}
      where record.key = given.key and (record.name, record.description, ${kept}) is distinct from
        (given.name, coalesce(given.description, record.description), ${refers}))
    update ${table} record set name = replaced.name, description = replaced.description,
      ${reference ? fragment`${reference.column} = replaced.reference,` : fragment``} updated_at = now()
    from replaced where record.key = replaced.key returning record.key, replaced.digest`
  const fresh = new Set(created.map(({ key }) => key))
  const updated = changed.filter(({ key }) => !fresh.has(key))
  const digests = updated.map(({ digest }) => digest).sort()
  return { created: created.length, updated: updated.length, digest: digests.join('') }
}

async function refuseUnknown(
  sql: Sql,
  { path, member, table }: Reference,
  targets: (string | null)[],
) {
  const named = targets.filter((target) => target !== null)
  const known = await sql.rows(ByKey)`select key from ${table} where key = any(${textArray(named)})`
  const keys = new Set(known.map(({ key }) => key))
  const issues = targets.flatMap((target, index) =>
    target === null || keys.has(target)
      ? []
      : { path: `${path}.${index}.${member}`, message: 'There is no such key.' },
  )
  if (issues.length > 0) throw invalid(issues.slice(0, 50))
}

/** A tree is answered whole, and what reads it may not be able to go deeper. */
const deepest = 100

async function refuseCircles(sql: Sql) {
  const [below] = await sql.rows(ByKey)`
    with recursive above as (
      select key, parent_id, 1 as level from platform.categories
      union all
      select above.key, next.parent_id, level + 1 from platform.categories next
        join above on next.id = above.parent_id where level <= ${deepest})
    select key from above where level > ${deepest} limit 1`
  if (!below) return
  const message = `A category cannot be below itself. ${below.key} is, or is below ${deepest} others.`
  throw invalid([{ path: 'categories', message }])
}
