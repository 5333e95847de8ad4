import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, json, type Sql } from '../_kit/sql/sql.ts'
import { del, get, patch, post, put } from './deps.ts'
import { taken } from './playbook.ts'
import { Identity, person, personOf, type Scope, seenBy, service, trusted } from './scope.ts'
import {
  archived,
  ById,
  BySessionId,
  columns,
  Editable,
  FileIds,
  Session,
  sessionById,
} from './session.ts'

const NewSession = Editable.extend({
  title: Editable.shape.title.default(null),
  service_type_id: Editable.shape.service_type_id.default(null),
  file_ids: FileIds.default([]),
})
const Edit = Editable.partial()

const Filters = PageQuery.extend({
  ...Identity.shape,
  status: z.enum(['ACTIVE', 'ARCHIVED']).optional(),
  matter_id: z.string().max(200).optional(),
  q: z.string().max(200).optional().describe('In the title.'),
})

const path = '/api/v1/consultations/sessions'
const example = { title: '借款到期不还', service_type_id: 'legal_consultation', file_ids: [] }

export const sessions = [
  get(
    path,
    {
      summary: 'Sessions, the latest changed first',
      guard: person,
      query: Filters,
      responses: { 200: pageSchema(Session) },
    },
    async (c, { query }) => {
      const { status, matter_id, q } = query
      const conditions = join([
        ...(status ? [fragment` and s.status = ${status}`] : []),
        ...(matter_id ? [fragment` and s.matter_id = ${matter_id}`] : []),
        ...(q ? [fragment` and strpos(lower(s.title), lower(${q})) > 0`] : []),
      ])
      const page = await selectPage(c.env.sql, Session, query, {
        columns,
        from: fragment`consultations.sessions s where ${seenBy(personOf(c, query))}${conditions}`,
        order: fragment`s.updated_at desc, s.id desc`,
      })
      return ok(c, page)
    },
  ),

  post(
    path,
    {
      summary: 'Open a session',
      guard: person,
      query: Identity,
      body: taken(NewSession),
      example,
      responses: { 201: Session },
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { query, body }) => {
      const { userId, organizationId, userType } = personOf(c, query)
      const id = newId()
      const session = await c.env.sql.row(Session)`
        insert into consultations.sessions as s
          (id, organization_id, user_id, user_type, title, service_type_id, file_ids, thread_id)
        values (${id}, ${organizationId}, ${userId}, ${userType ?? null}, ${body.title},
          ${body.service_type_id}, ${json([...new Set(body.file_ids)])}, ${`consultation:${id}`})
        returning ${columns}`
      return okWithETag(c, session!, 201)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Read a session',
      guard: person,
      params: ById,
      query: Identity,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query }) =>
      okWithETag(c, await sessionById(c.env.sql, seenBy(personOf(c, query)), params.id)),
  ),

  put(
    `${path}/:id`,
    {
      summary: 'Replace what people edit of a session',
      description: 'Members left out become empty.',
      guard: person,
      params: ById,
      query: Identity,
      body: taken(NewSession),
      example,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query, body }) => {
      const scope = seenBy(personOf(c, query))
      return okWithETag(c, await edit(c.env.sql, scope, params.id, ifMatch(c), body))
    },
  ),

  patch(
    `${path}/:id`,
    {
      summary: 'Edit a session',
      description: 'Members left out stay.',
      guard: person,
      params: ById,
      query: Identity,
      body: taken(Edit),
      example: { title: '借款到期不还' },
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query, body }) => {
      const scope = seenBy(personOf(c, query))
      return okWithETag(c, await edit(c.env.sql, scope, params.id, ifMatch(c), body))
    },
  ),

  del(
    `${path}/:id`,
    {
      summary: 'Archive a session',
      description: 'It can still be read; a chat in it is refused.',
      guard: person,
      params: ById,
      query: Identity,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query }) => {
      const scope = seenBy(personOf(c, query))
      const session = await c.env.sql.transaction(async (sql) => {
        const before = await locked(sql, scope, params.id, ifMatch(c))
        if (before.status === 'ARCHIVED') return before
        const after = await sql.row(Session)`
          update consultations.sessions s set status = 'ARCHIVED', version = version + 1,
            updated_at = now()
          where s.id = ${params.id} returning ${columns}`
        return after!
      })
      return okWithETag(c, session)
    },
  ),

  get(
    '/api/v1/internal/sessions/:sessionId',
    {
      summary: 'Read a session, as another service',
      guard: service,
      params: BySessionId,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params }) =>
      okWithETag(c, await sessionById(c.env.sql, trusted(c.var.caller), params.sessionId)),
  ),
]

async function locked(sql: Sql, scope: Scope, id: string, expected: number | null) {
  const before = await sessionById(sql, scope, id, fragment`for update`)
  if (expected !== null && expected !== before.version) throw staleVersion(before.version)
  return before
}

const edit = (
  sql: Sql,
  scope: Scope,
  id: string,
  expected: number | null,
  given: z.output<typeof Edit>,
): Promise<Session> =>
  sql.transaction(async (sql) => {
    const before = await locked(sql, scope, id, expected)
    if (before.status === 'ARCHIVED') throw archived()
    const {
      title = before.title,
      service_type_id = before.service_type_id,
      file_ids = before.file_ids,
    } = given
    const after = await sql.row(Session)`
      update consultations.sessions s set title = ${title}, service_type_id = ${service_type_id},
        file_ids = ${json([...new Set(file_ids)])}, version = version + 1, updated_at = now()
      where s.id = ${id} returning ${columns}`
    return after!
  })
