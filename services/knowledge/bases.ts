import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import {
  Audience,
  Base,
  baseColumns,
  loadBase,
  loadWritableBase,
  readableCondition,
  rejectSystemBase,
  requireWriter,
} from './base.ts'
import { deleteBase } from './delete-base.ts'
import { del, get, patch, post } from './deps.ts'

const NewBase = z.object({
  name: z.string().min(1).max(200),
  description: z.string().max(2_000).default(''),
  audience: Audience.default('organization'),
})

const BasePatch = NewBase.partial().extend({
  description: z.string().max(2_000).optional(),
  audience: Audience.optional(),
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
      const from = fragment`knowledge.bases base where ${readableCondition(c.var.caller)}`
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
    async (c, { body: { name, description, audience } }) => {
      requireWriter(c.var.caller)
      rejectSystemBase({ system: name.startsWith('sys_'), name })
      const created = await c.env.sql.row(Base)`
        insert into knowledge.bases (id, organization_id, name, description, audience)
        values (${newId()}, ${c.var.caller.organizationId!}, ${name}, ${description},
          ${audience})
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

  patch(
    `${path}/:id`,
    {
      summary: 'Update a knowledge base',
      guard: organization,
      params: ById,
      body: BasePatch,
      example: { audience: 'clients' },
      responses: { 200: Base },
      faults: ['FORBIDDEN', 'CONFLICT'],
    },
    async (c, { params, body }) => {
      requireWriter(c.var.caller)
      const base = await loadWritableBase(c.env.sql, c.var.caller, params.id)
      const name = body.name ?? base.name
      rejectSystemBase({ system: name.startsWith('sys_'), name })
      const updated = await c.env.sql.row(Base)`
        update knowledge.bases base set name = ${name},
          description = ${body.description ?? base.description},
          audience = ${body.audience ?? base.audience}, updated_at = now()
        where no = ${base.no} and not exists (
          select from knowledge.bases other where other.organization_id = base.organization_id
            and other.name = ${name} and other.no <> base.no)
        returning ${baseColumns}`
      if (!updated) throw new Fault('CONFLICT', `A knowledge base named ${name} exists.`)
      return ok(c, updated)
    },
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
      requireWriter(c.var.caller)
      const base = await loadWritableBase(c.env.sql, c.var.caller, params.id)
      await deleteBase(c.env, base)
      return ok(c, { deleted: true })
    },
  ),
]
