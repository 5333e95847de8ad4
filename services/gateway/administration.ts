import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { requirePrincipal } from './auth.ts'
import { requireFullScope } from './authorize.ts'
import { type Deps, del, get } from './deps.ts'
import type { Identity } from './principal.ts'
import { Session, sessionColumns } from './sessions.ts'
import { Token, tokenColumns } from './tokens.ts'

const OwnedSession = Session.extend({ user_id: z.string() }).meta({ id: 'OwnedSession' })
const OwnedToken = Token.extend({ user_id: z.string() }).meta({ id: 'OwnedToken' })

const Query = PageQuery.extend({ user_id: z.string().max(200).optional() })
const ById = z.object({ id: Id })
const deleted = { 200: z.object({ deleted: z.literal(true) }) }
const faults = ['UNAUTHENTICATED', 'FORBIDDEN'] as const

/** Sessions and API tokens of all people of the organization, for its administrators. */
export const administration = [
  get(
    '/auth/admin/sessions',
    {
      summary: 'List sessions of the organization',
      query: Query,
      responses: { 200: pageSchema(OwnedSession) },
      faults,
    },
    async (c, { query }) => {
      const { organization_id, credentialId } = await requireAdministrator(c)
      const page = await selectPage(c.env.sql, OwnedSession, query, {
        columns: fragment`user_id, ${sessionColumns(credentialId)}`,
        from: fragment`gateway.sessions where organization_id = ${organization_id}
          and expires_at > now() ${ofUser(query.user_id)}`,
        order: fragment`created_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  del(
    '/auth/admin/sessions/:id',
    { summary: 'End a session of the organization', params: ById, responses: deleted, faults },
    async (c, { params }) => {
      const { organization_id } = await requireAdministrator(c)
      const ended = await c.env.sql`
        delete from gateway.sessions
        where organization_id = ${organization_id} and id = ${params.id} returning id`
      if (ended.length === 0) throw notFound(`session ${params.id}`)
      c.env.identities.clear()
      return ok(c, { deleted: true as const })
    },
  ),

  get(
    '/auth/admin/tokens',
    {
      summary: 'List API tokens of the organization',
      query: Query,
      responses: { 200: pageSchema(OwnedToken) },
      faults,
    },
    async (c, { query }) => {
      const { organization_id } = await requireAdministrator(c)
      const page = await selectPage(c.env.sql, OwnedToken, query, {
        columns: fragment`user_id, ${tokenColumns}`,
        from: fragment`gateway.tokens where organization_id = ${organization_id}
          ${ofUser(query.user_id)}`,
        order: fragment`created_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  del(
    '/auth/admin/tokens/:id',
    {
      summary: 'Revoke an API token of the organization',
      params: ById,
      responses: deleted,
      faults,
    },
    async (c, { params }) => {
      const { organization_id } = await requireAdministrator(c)
      const revoked = await c.env.sql`
        delete from gateway.tokens
        where organization_id = ${organization_id} and id = ${params.id} returning id`
      if (revoked.length === 0) throw notFound(`API token ${params.id}`)
      c.env.identities.clear()
      return ok(c, { deleted: true as const })
    },
  ),
]

const ofUser = (userId: string | undefined) =>
  userId === undefined ? fragment`` : fragment`and user_id = ${userId}`

const isAdministrator = ({ user_type, superuser, permissions }: Identity) =>
  user_type === 'firm_admin' || superuser || permissions.includes('platform:manage')

/** Returns the organization that the signed-in person administers. Throws FORBIDDEN for everyone else. */
async function requireAdministrator(c: Context<Env<Deps>>) {
  const principal = await requirePrincipal(c)
  requireFullScope(principal)
  if (!isAdministrator(principal.identity)) {
    throw new Fault('FORBIDDEN', 'Only administrators of the organization may do this.')
  }
  const { organization_id } = principal.identity
  return { organization_id, credentialId: principal.credential.id }
}
