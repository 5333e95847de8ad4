import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { requirePrincipal } from './auth.ts'
import { requireFullScope } from './authorize.ts'
import { del, get } from './deps.ts'

export const Session = z
  .object({
    id: Id,
    created_at: Time,
    last_seen_at: Time,
    address: z.string(),
    user_agent: z.string(),
    current: z.boolean(),
  })
  .meta({ id: 'Session' })

/** Columns of a session, seen with the credential of the request. */
export const sessionColumns = (credentialId: string) => fragment`
  id, created_at, last_seen_at, address, user_agent, id = ${credentialId}::uuid as current`

const ById = z.object({ id: Id })

/** One's own sessions. */
export const sessions = [
  get(
    '/auth/sessions',
    {
      summary: 'List own sessions',
      query: PageQuery,
      responses: { 200: pageSchema(Session) },
      faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
    },
    async (c, { query }) => {
      const principal = await requirePrincipal(c)
      requireFullScope(principal)
      const { identity, credential } = principal
      const page = await selectPage(c.env.sql, Session, query, {
        columns: sessionColumns(credential.id),
        from: fragment`gateway.sessions where organization_id = ${identity.organization_id}
          and user_id = ${identity.id} and expires_at > now()`,
        order: fragment`created_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  del(
    '/auth/sessions/:id',
    {
      summary: 'End one of own sessions',
      params: ById,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
    },
    async (c, { params }) => {
      const principal = await requirePrincipal(c)
      requireFullScope(principal)
      const { identity } = principal
      const ended = await c.env.sql`
        delete from gateway.sessions where id = ${params.id} and user_id = ${identity.id}
          and organization_id = ${identity.organization_id} returning id`
      if (ended.length === 0) throw notFound(`session ${params.id}`)
      c.env.identities.clear()
      return ok(c, { deleted: true as const })
    },
  ),
]
