import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, json, type Sql } from '../_kit/sql/sql.ts'
import { type Deps, del, get, patch, post, put } from './deps.ts'
import { assertReadable } from './file-access.ts'
import { bodySchema } from './playbook.ts'
import {
  Identity,
  type Person,
  resolvePerson,
  type Scope,
  serviceGuard,
  userGuard,
  visibleToService,
  visibleToUser,
} from './scope.ts'
import {
  ById,
  BySessionId,
  FileIds,
  loadSession,
  Session,
  SessionFields,
  sessionArchived,
  sessionColumns,
} from './session.ts'

const NewSession = SessionFields.extend({
  title: SessionFields.shape.title.default(null),
  service_type_id: SessionFields.shape.service_type_id.default(null),
  file_ids: FileIds.default([]),
})
const SessionPatch = SessionFields.partial()

const Filters = PageQuery.extend({
  ...Identity.shape,
  status: z.enum(['ACTIVE', 'ARCHIVED']).optional(),
  matter_id: z.string().max(200).optional(),
  q: z.string().max(200).optional().describe('Text in the title.'),
})

const path = '/api/v1/consultations/sessions'
const example = { title: '借款到期不还', service_type_id: 'legal_consultation', file_ids: [] }

export const sessions = [
  get(
    path,
    {
      summary: 'List sessions, last updated first',
      guard: userGuard,
      query: Filters,
      responses: { 200: pageSchema(Session) },
    },
    async (c, { query }) => {
      const { status, matter_id, q } = query
      const conditions = join([
        ...(status ? [fragment` and s.status = ${status}`] : []),
        ...(matter_id ? [fragment` and s.matter_id = ${matter_id}`] : []),
        ...(q
          ? [
              fragment` and s.search_ngrams @> consultations.query_ngrams(${q})
                and strpos(lower(s.title), lower(${q})) > 0`,
            ]
          : []),
      ])
      const page = await selectPage(c.env.sql, Session, query, {
        columns: sessionColumns,
        from: fragment`consultations.sessions s where ${visibleToUser(resolvePerson(c, query))}${conditions}`,
        order: fragment`s.updated_at desc, s.id desc`,
      })
      return ok(c, page)
    },
  ),

  post(
    path,
    {
      summary: 'Create a session',
      guard: userGuard,
      query: Identity,
      body: bodySchema(NewSession),
      example,
      responses: { 201: Session },
      faults: ['NOT_FOUND', 'UPSTREAM_UNAVAILABLE'],
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { query, body }) => {
      const user = resolvePerson(c, query)
      await assertFilesReadable(c, user, body.file_ids)
      const { userId, organizationId, userType } = user
      const id = newId()
      const session = await c.env.sql.row(Session)`
        insert into consultations.sessions as s
          (id, organization_id, user_id, user_type, title, service_type_id, file_ids, thread_id)
        values (${id}, ${organizationId}, ${userId}, ${userType ?? null}, ${body.title},
          ${body.service_type_id}, ${json([...new Set(body.file_ids)])}, ${`consultation:${id}`})
        returning ${sessionColumns}`
      return okWithETag(c, session!, 201)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a session',
      guard: userGuard,
      params: ById,
      query: Identity,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query }) =>
      okWithETag(
        c,
        await loadSession(c.env.sql, visibleToUser(resolvePerson(c, query)), params.id),
      ),
  ),

  put(
    `${path}/:id`,
    {
      summary: 'Replace the editable fields of a session',
      description: 'Omitted fields are cleared.',
      guard: userGuard,
      params: ById,
      query: Identity,
      body: bodySchema(NewSession),
      example,
      responses: { 200: Session },
      faults: ['UPSTREAM_UNAVAILABLE'],
      versioned: true,
    },
    async (c, { params, query, body }) => {
      const user = resolvePerson(c, query)
      const scope = visibleToUser(user)
      await loadSession(c.env.sql, scope, params.id)
      await assertFilesReadable(c, user, body.file_ids ?? [])
      return okWithETag(c, await updateSession(c.env.sql, scope, params.id, ifMatch(c), body))
    },
  ),

  patch(
    `${path}/:id`,
    {
      summary: 'Update a session',
      description: 'Omitted fields are unchanged.',
      guard: userGuard,
      params: ById,
      query: Identity,
      body: bodySchema(SessionPatch),
      example: { title: '借款到期不还' },
      responses: { 200: Session },
      faults: ['UPSTREAM_UNAVAILABLE'],
      versioned: true,
    },
    async (c, { params, query, body }) => {
      const user = resolvePerson(c, query)
      const scope = visibleToUser(user)
      await loadSession(c.env.sql, scope, params.id)
      await assertFilesReadable(c, user, body.file_ids ?? [])
      return okWithETag(c, await updateSession(c.env.sql, scope, params.id, ifMatch(c), body))
    },
  ),

  del(
    `${path}/:id`,
    {
      summary: 'Archive a session',
      description: 'An archived session can be read; chat is rejected with 409.',
      guard: userGuard,
      params: ById,
      query: Identity,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params, query }) => {
      const scope = visibleToUser(resolvePerson(c, query))
      const session = await c.env.sql.transaction(async (sql) => {
        const existing = await lockSession(sql, scope, params.id, ifMatch(c))
        if (existing.status === 'ARCHIVED') return existing
        const after = await sql.row(Session)`
          update consultations.sessions s set status = 'ARCHIVED', version = version + 1,
            updated_at = now()
          where s.id = ${params.id} returning ${sessionColumns}`
        return after!
      })
      return okWithETag(c, session)
    },
  ),

  get(
    '/api/v1/internal/sessions/:sessionId',
    {
      summary: 'Get a session (internal)',
      guard: serviceGuard,
      params: BySessionId,
      responses: { 200: Session },
      versioned: true,
    },
    async (c, { params }) =>
      okWithETag(c, await loadSession(c.env.sql, visibleToService(c.var.caller), params.sessionId)),
  ),
]

/** Checks that the user may read the files; 404 or 503 before anything is stored. */
const assertFilesReadable = (
  c: Context<Env<Deps>>,
  { userId, organizationId, userType }: Person,
  file_ids: string[],
) =>
  assertReadable(c.env.files, file_ids, {
    'x-user-id': userId,
    'x-organization-id': organizationId,
    'x-user-type': userType ?? 'client',
    ...(c.var.caller.superuser && { 'x-is-superuser': 'true' }),
    'x-request-id': c.var.requestId,
    traceparent: c.var.traceparent,
  })

async function lockSession(sql: Sql, scope: Scope, id: string, expected: number | null) {
  const existing = await loadSession(sql, scope, id, fragment`for update`)
  if (expected !== null && expected !== existing.version) throw staleVersion(existing.version)
  return existing
}

const updateSession = (
  sql: Sql,
  scope: Scope,
  id: string,
  expected: number | null,
  input: z.output<typeof SessionPatch>,
): Promise<Session> =>
  sql.transaction(async (sql) => {
    const existing = await lockSession(sql, scope, id, expected)
    if (existing.status === 'ARCHIVED') throw sessionArchived()
    const {
      title = existing.title,
      service_type_id = existing.service_type_id,
      file_ids = existing.file_ids,
    } = input
    const after = await sql.row(Session)`
      update consultations.sessions s set title = ${title}, service_type_id = ${service_type_id},
        file_ids = ${json([...new Set(file_ids)])}, version = version + 1, updated_at = now()
      where s.id = ${id} returning ${sessionColumns}`
    return after!
  })
