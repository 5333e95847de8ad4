import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import {
  Base,
  baseColumns,
  loadBase,
  readableCondition,
  rejectSystemBase,
  requireWriter,
} from './base.ts'
import { del, get, post } from './deps.ts'
import { enqueueChunks, wholeBase } from './qdrant/change-queue.ts'

const NewBase = z.object({
  name: z.string().min(1).max(200),
  description: z.string().max(2_000).default(''),
})

export const ById = z.object({ id: Id })
export const path = '/api/v1/knowledge/bases'

export const bases = [
  get(
    path,
    {
      summary: 'List knowledge bases',
      guard: organization,
      query: PageQuery,
      responses: { 200: pageSchema(Base) },
    },
    async (c, { query }) => {
      const from = fragment`knowledge.bases where ${readableCondition(c.var.caller)}`
      return ok(
        c,
        await selectPage(c.env.sql, Base, query, {
          from,
          columns: baseColumns,
          order: fragment`name, no`,
        }),
      )
    },
  ),

  post(
    path,
    {
      summary: 'Create a knowledge base',
      description:
        'Allowed for lawyer, firm_admin and operator. Names that begin with sys_ are reserved.',
      guard: organization,
      body: NewBase,
      example: { name: 'House templates' },
      responses: { 201: Base },
      faults: ['FORBIDDEN', 'CONFLICT'],
      idempotencyKey: true,
    },
    async (c, { body: { name, description } }) => {
      requireWriter(c.var.caller)
      rejectSystemBase({ system: name.startsWith('sys_'), name })
      const created = await c.env.sql.row(Base)`
        insert into knowledge.bases (id, organization_id, name, description)
        values (${newId()}, ${c.var.caller.organizationId!}, ${name}, ${description})
        on conflict (organization_id, name) do nothing returning ${baseColumns}`
      if (!created) throw new Fault('CONFLICT', `A knowledge base named ${name} exists.`)
      return ok(c, created, 201)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a knowledge base',
      guard: organization,
      params: ById,
      responses: { 200: Base },
    },
    async (c, { params }) => ok(c, Base.parse(await loadBase(c.env.sql, c.var.caller, params.id))),
  ),

  del(
    `${path}/:id`,
    {
      summary: 'Delete a knowledge base and its content',
      guard: organization,
      params: ById,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      faults: ['FORBIDDEN'],
    },
    async (c, { params }) => {
      const base = await loadBase(c.env.sql, c.var.caller, params.id)
      requireWriter(c.var.caller)
      rejectSystemBase(base)
      await c.env.sql.transaction(async (sql) => {
        await sql`delete from knowledge.bases where no = ${base.no}`
        if (c.env.qdrant) await enqueueChunks(sql, base.no, [wholeBase])
      })
      return ok(c, { deleted: true })
    },
  ),
]
