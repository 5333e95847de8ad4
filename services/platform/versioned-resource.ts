import * as z from 'zod'
import { type Endpoint, ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Key, Version } from '../_kit/fields.ts'
import type { Caller, Guard } from '../_kit/identity.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { recordPlatformChange } from './audit-chain.ts'
import { columnNames, columnValues } from './columns.ts'
import { type Deps, del, get, manage, post, put } from './deps.ts'

export const Description = z.string().max(2_000)
export const ByKey = z.object({ key: Key })

const VersionedRecord = z.object({ key: z.string(), version: Version })
type VersionedRecord = z.infer<typeof VersionedRecord>

/** Definition of a resource that is addressed by key and carries a version. */
interface Resource<Item extends VersionedRecord> {
  /** Name in messages; the audit log replaces spaces by underscores. */
  noun: string
  path: string
  table: SqlFragment
  Record: z.ZodType<Item>
  New: z.ZodType<{ key: string }>
  Patch: z.ZodType<object>
  jsonColumns: readonly string[]
  /** Guard of reads. Default: none. */
  readGuard?: Guard
  /** API description of `redact`. */
  readNote?: string
  /** Reduces a record to the part that the caller may read. */
  redact?(record: Item, caller: Caller): Item
}

/** Builds the create, get, update and delete endpoints of a resource. */
export function versionedResource<Item extends VersionedRecord>(
  resource: Resource<Item>,
): Endpoint<Deps>[] {
  const { noun, path, table, Record, New, Patch, jsonColumns, readGuard } = resource
  const subject = noun.replaceAll(' ', '_')

  const record = (
    sql: Sql,
    caller: Caller,
    change: 'created' | 'updated' | 'deleted',
    { key, version }: VersionedRecord,
  ) => recordPlatformChange(sql, caller, `${subject}.${change}`, `${subject}:${key}`, { version })

  async function lock(sql: Sql, key: string, expected: number | null): Promise<Item> {
    const current = await load(sql, resource, key, fragment`for update`)
    if (expected !== null && expected !== current.version) throw staleVersion(current.version)
    return current
  }

  return [
    post(
      path,
      {
        summary: `Create a ${noun}`,
        guard: manage,
        body: New,
        responses: { 201: Record },
        versioned: true,
        idempotencyKey: true,
      },
      async (c, { body }) => {
        const created = await c.env.sql.transaction(async (sql) => {
          const created = await sql.row(Record)`
            insert into ${table} (${columnNames(body)}) values (${columnValues(body, jsonColumns)})
            on conflict (key) do nothing returning *`
          if (!created)
            throw new Fault('CONFLICT', `A ${noun} with key ${body.key} already exists.`)
          await record(sql, c.var.caller, 'created', created)
          return created
        })
        return okWithETag(c, created, 201)
      },
    ),

    get(
      `${path}/:key`,
      {
        summary: `Get a ${noun}`,
        ...(resource.readNote && { description: resource.readNote }),
        ...(readGuard && { guard: readGuard }),
        params: ByKey,
        responses: { 200: Record },
        versioned: true,
      },
      async (c, { params }) => {
        const found = await load(c.env.sql, resource, params.key)
        return okWithETag(c, resource.redact?.(found, c.var.caller) ?? found)
      },
    ),

    put(
      `${path}/:key`,
      {
        summary: `Update a ${noun}`,
        description: 'Omitted fields stay unchanged.',
        guard: manage,
        params: ByKey,
        body: Patch,
        responses: { 200: Record },
        versioned: true,
      },
      async (c, { params: { key }, body }) => {
        const expected = ifMatch(c)
        const updated = await c.env.sql.transaction(async (sql) => {
          const before = await lock(sql, key, expected)
          if (Object.keys(body).length === 0) return before
          const after = await sql.row(Record)`
            update ${table} set (${columnNames(body)}, version, updated_at) =
              (${columnValues(body, jsonColumns)}, version + 1, now())
            where key = ${key} returning *`
          await record(sql, c.var.caller, 'updated', after!)
          return after!
        })
        return okWithETag(c, updated)
      },
    ),

    del(
      `${path}/:key`,
      {
        summary: `Delete a ${noun}`,
        guard: manage,
        params: ByKey,
        responses: { 200: z.object({ deleted: z.literal(true) }) },
        versioned: true,
      },
      async (c, { params: { key } }) => {
        const expected = ifMatch(c)
        await c.env.sql.transaction(async (sql) => {
          const before = await lock(sql, key, expected)
          await sql`delete from ${table} where key = ${key}`
          await record(sql, c.var.caller, 'deleted', before)
        })
        return ok(c, { deleted: true })
      },
    ),
  ]
}

export async function load<Item>(
  sql: Sql,
  { noun, table, Record }: { noun: string; table: SqlFragment; Record: z.ZodType<Item> },
  key: string,
  lock: SqlFragment = fragment``,
): Promise<Item> {
  const found = await sql.row(Record)`select * from ${table} where key = ${key} ${lock}`
  if (!found) throw notFound(`${noun} ${key}`)
  return found
}
