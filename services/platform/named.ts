import * as z from 'zod'
import { type Endpoint, ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id, Key, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, identifier, join, type Param, type Sql } from '../_kit/sql/sql.ts'
import { note } from './chain.ts'
import { type Deps, del, get, manage, post, put } from './deps.ts'

export const Named = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  created_at: Time,
  updated_at: Time,
})

const Name = z.string().min(1).max(200)
const Description = z.string().max(2_000)

export const New = z.object({ key: Key, name: Name, description: Description.default('') })
export const Edit = z.object({ key: Key, name: Name, description: Description }).partial()

const ById = z.object({ id: Id })

type Part = ReturnType<typeof fragment>

/** What may be written; which of the last two there are depends on the kind. */
type Body = z.output<typeof Edit> & {
  group_id?: string | null | undefined
  parent_id?: string | null | undefined
}

/** What sets one kind of named things apart from the others. */
interface Kind {
  /** What a person calls it; the audit log writes it with underscores. */
  word: string
  path: string
  table: Part
  Record: z.ZodType<z.output<typeof Named>>
  New: z.ZodType<Body>
  Edit: z.ZodType<Body>
  /** Throws where the record `id` can't be made so. */
  fits?(sql: Sql, id: string, body: Body): Promise<void>
  /** Throws while others still refer to the record. */
  unused?(sql: Sql, id: string): Promise<void>
}

/** Making, reading, editing and deleting things of one kind. */
export function named(kind: Kind): Endpoint<Deps>[] {
  const { word, path, table, Record, New, Edit } = kind
  const subject = word.replaceAll(' ', '_')

  async function find(sql: Sql, id: string, lock: Part) {
    const record = await sql.row(Record)`select * from ${table} where id = ${id} ${lock}`
    if (!record) throw notFound(`${word} ${id}`)
    return record
  }

  return [
    post(
      path,
      {
        summary: `Make a ${word}`,
        guard: manage,
        body: New,
        responses: { 201: Record },
        idempotencyKey: true,
      },
      async (c, { body }) => {
        const record = await c.env.sql.transaction(async (sql) => {
          const id = newId()
          await kind.fits?.(sql, id, body)
          const made = await sql.row(Record)`
            insert into ${table} (id, ${names(body)}) values (${id}, ${values(body)})
            on conflict (key) do nothing returning *`
          if (!made) throw new Fault('CONFLICT', `There is a ${word} with the key ${body.key}.`)
          await note(sql, c.var.caller, `${subject}.created`, `${subject}:${id}`, { key: made.key })
          return made
        })
        return ok(c, record, 201)
      },
    ),

    get(
      `${path}/:id`,
      { summary: `Read a ${word}`, params: ById, responses: { 200: Record } },
      async (c, { params }) => ok(c, await find(c.env.sql, params.id, fragment``)),
    ),

    put(
      `${path}/:id`,
      {
        summary: `Edit a ${word}`,
        description: 'Members left out stay.',
        guard: manage,
        params: ById,
        body: Edit,
        responses: { 200: Record },
        faults: ['CONFLICT'],
      },
      async (c, { params, body }) => {
        const record = await c.env.sql.transaction(async (sql) => {
          // A lock that lets others refer to the record meanwhile.
          const before = await find(sql, params.id, fragment`for no key update`)
          const { id } = before
          if (Object.keys(body).length === 0) return before
          await kind.fits?.(sql, id, body)
          const after = await sql.row(Record)`
            update ${table} set (${names(body)}, updated_at) = (${values(body)}, now())
            where id = ${id} returning *`
          await note(sql, c.var.caller, `${subject}.updated`, `${subject}:${id}`, {
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
        summary: `Delete a ${word}`,
        guard: manage,
        params: ById,
        responses: { 200: z.object({ deleted: z.literal(true) }) },
        ...(kind.unused && { faults: ['CONFLICT'] as const }),
      },
      async (c, { params }) => {
        await c.env.sql.transaction(async (sql) => {
          const { id, key } = await find(sql, params.id, fragment`for update`)
          await kind.unused?.(sql, id)
          await sql`delete from ${table} where id = ${id}`
          await note(sql, c.var.caller, `${subject}.deleted`, `${subject}:${id}`, { key })
        })
        return ok(c, { deleted: true })
      },
    ),
  ]
}

/** Members of a body are columns: its schema lets no others through. */
const names = (body: object) => listed(Object.keys(body).map(identifier))
const values = (body: object) =>
  listed(Object.values(body).map((value: Param) => fragment`${value}`))

const listed = (parts: Part[]) =>
  join(parts.map((each, index) => (index === 0 ? each : fragment`, ${each}`)))
