import * as z from 'zod'
import { type Endpoint, ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id, Key, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { recordPlatformChange } from './audit-chain.ts'
import { columnNames, columnValues } from './columns.ts'
import { type Deps, del, get, manage, post, put } from './deps.ts'
import { Description } from './versioned-resource.ts'

export const KeyedRecord = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  created_at: Time,
  updated_at: Time,
})

const Name = z.string().min(1).max(200)

export const NewRecord = z.object({ key: Key, name: Name, description: Description.default('') })
export const RecordPatch = z.object({ key: Key, name: Name, description: Description }).partial()

const ById = z.object({ id: Id })

/** Writable fields. Only tags have group_id, only categories have parent_id. */
type RecordBody = z.output<typeof RecordPatch> & {
  group_id?: string | null | undefined
  parent_id?: string | null | undefined
}

/** Definition of a resource with id, key, name and description. */
interface Resource {
  /** Name in messages; the audit log replaces spaces by underscores. */
  noun: string
  path: string
  table: SqlFragment
  Record: z.ZodType<z.output<typeof KeyedRecord>>
  NewRecord: z.ZodType<RecordBody>
  RecordPatch: z.ZodType<RecordBody>
  /** Throws if the body is invalid for the record `id`. */
  validate?(sql: Sql, id: string, body: RecordBody): Promise<void>
  /** Throws if other records reference the record. */
  assertUnreferenced?(sql: Sql, id: string): Promise<void>
}

/** Builds the create, get, update and delete endpoints of a resource. */
export function keyedResource(resource: Resource): Endpoint<Deps>[] {
  const { noun, path, table, Record, NewRecord, RecordPatch } = resource
  const subject = noun.replaceAll(' ', '_')

  async function find(sql: Sql, id: string, lock: SqlFragment) {
    const record = await sql.row(Record)`select * from ${table} where id = ${id} ${lock}`
    if (!record) throw notFound(`${noun} ${id}`)
    return record
  }

  return [
    post(
      path,
      {
        summary: `Create a ${noun}`,
        guard: manage,
        body: NewRecord,
        responses: { 201: Record },
        idempotencyKey: true,
      },
      async (c, { body }) => {
        const record = await c.env.sql.transaction(async (sql) => {
          const id = newId()
          await resource.validate?.(sql, id, body)
          const created = await sql.row(Record)`
            insert into ${table} (id, ${columnNames(body)}) values (${id}, ${columnValues(body)})
            on conflict (key) do nothing returning *`
          if (!created)
            throw new Fault('CONFLICT', `A ${noun} with the key ${body.key} already exists.`)
          await recordPlatformChange(sql, c.var.caller, `${subject}.created`, `${subject}:${id}`, {
            key: created.key,
          })
          return created
        })
        return ok(c, record, 201)
      },
    ),

    get(
      `${path}/:id`,
      { summary: `Get a ${noun}`, params: ById, responses: { 200: Record } },
      async (c, { params }) => ok(c, await find(c.env.sql, params.id, fragment``)),
    ),

    put(
      `${path}/:id`,
      {
        summary: `Update a ${noun}`,
        description: 'Omitted fields stay unchanged.',
        guard: manage,
        params: ById,
        body: RecordPatch,
        responses: { 200: Record },
        faults: ['CONFLICT'],
      },
      async (c, { params, body }) => {
        const record = await c.env.sql.transaction(async (sql) => {
          // This lock mode lets other transactions add references to the record.
          const before = await find(sql, params.id, fragment`for no key update`)
          const { id } = before
          if (Object.keys(body).length === 0) return before
          await resource.validate?.(sql, id, body)
          const after = await sql.row(Record)`
            update ${table} set (${columnNames(body)}, updated_at) = (${columnValues(body)}, now())
            where id = ${id} returning *`
          await recordPlatformChange(sql, c.var.caller, `${subject}.updated`, `${subject}:${id}`, {
            key: after!.key,
          })
          return after
        })
        return ok(c, record)
      },
    ),

    del(
      `${path}/:id`,
      {
        summary: `Delete a ${noun}`,
        guard: manage,
        params: ById,
        responses: { 200: z.object({ deleted: z.literal(true) }) },
        ...(resource.assertUnreferenced && { faults: ['CONFLICT'] as const }),
      },
      async (c, { params }) => {
        await c.env.sql.transaction(async (sql) => {
          const { id, key } = await find(sql, params.id, fragment`for update`)
          await resource.assertUnreferenced?.(sql, id)
          await sql`delete from ${table} where id = ${id}`
          await recordPlatformChange(sql, c.var.caller, `${subject}.deleted`, `${subject}:${id}`, {
            key,
          })
        })
        return ok(c, { deleted: true })
      },
    ),
  ]
}
