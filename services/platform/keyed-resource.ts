import * as z from 'zod'
import { type Endpoint, ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id, Key, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import {
  fragment,
  identifier,
  join,
  type Param,
  type Sql,
  type SqlFragment,
} from '../_kit/sql/sql.ts'
import { recordPlatformChange } from './audit-chain.ts'
import { type Deps, del, get, manage, post, put } from './deps.ts'

export const KeyedRecord = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  created_at: Time,
  updated_at: Time,
})

const Name = z.string().min(1).max(200)
const Description = z.string().max(2_000)

export const NewRecord = z.object({ key: Key, name: Name, description: Description.default('') })
export const RecordPatch = z.object({ key: Key, name: Name, description: Description }).partial()

const ById = z.object({ id: Id })

/** What may be written; which of the last two there are depends on the kind. */
type RecordBody = z.output<typeof RecordPatch> & {
  group_id?: string | null | undefined
  parent_id?: string | null | undefined
}

/** What sets one kind of named things apart from the others. */
interface Resource {
  /** What a person calls it; the audit log writes it with underscores. */
  noun: string
  path: string
  table: SqlFragment
  Record: z.ZodType<z.output<typeof KeyedRecord>>
  NewRecord: z.ZodType<RecordBody>
  RecordPatch: z.ZodType<RecordBody>
  /** Throws where the record `id` can't be made so. */
  validate?(sql: Sql, id: string, body: RecordBody): Promise<void>
  /** Throws while others still refer to the record. */
  assertUnreferenced?(sql: Sql, id: string): Promise<void>
}

/** Making, reading, editing and deleting things of one kind. */
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
        summary: `Make a ${noun}`,
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
          if (!created) throw new Fault('CONFLICT', `There is a ${noun} with the key ${body.key}.`)
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
      { summary: `Read a ${noun}`, params: ById, responses: { 200: Record } },
      async (c, { params }) => ok(c, await find(c.env.sql, params.id, fragment``)),
    ),

    put(
      `${path}/:id`,
      {
        summary: `Edit a ${noun}`,
        description: 'Members left out stay.',
        guard: manage,
        params: ById,
        body: RecordPatch,
        responses: { 200: Record },
        faults: ['CONFLICT'],
      },
      async (c, { params, body }) => {
        const record = await c.env.sql.transaction(async (sql) => {
          // A lock that lets others refer to the record meanwhile.
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

/** Members of a body are columns: its schema lets no others through. */
const columnNames = (body: object) => commaSeparated(Object.keys(body).map(identifier))
const columnValues = (body: object) =>
  commaSeparated(Object.values(body).map((value: Param) => fragment`${value}`))

const commaSeparated = (parts: SqlFragment[]) =>
  join(parts.map((each, index) => (index === 0 ? each : fragment`, ${each}`)))
