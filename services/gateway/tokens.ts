import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id, StoredInstant, Time } from '../_kit/fields.ts'
import { sha256Hex } from '../_kit/hash.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, json, timestamp } from '../_kit/sql/sql.ts'
import { requirePrincipal } from './auth.ts'
import { requireFullScope } from './authorize.ts'
import { del, get, post } from './deps.ts'
import { scopes } from './scopes.ts'
import { randomSecret } from './secret.ts'

export const Token = z
  .object({
    id: Id,
    name: z.string(),
    scopes: z.array(z.string()),
    created_at: Time,
    last_used_at: Time.nullable(),
    expires_at: Time.nullable(),
  })
  .meta({ id: 'Token' })
const NewToken = Token.extend({ token: z.string().describe('Shown once.') })
export const tokenColumns = fragment`id, name, scopes, created_at, last_used_at, expires_at`

/** Tokens of one person at most. */
const maxTokens = 100

/** API tokens of the signed-in person. A token never has more rights than its person. */
export const tokens = [
  get(
    '/auth/tokens',
    {
      summary: 'List own API tokens',
      query: PageQuery,
      responses: { 200: pageSchema(Token) },
      faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
    },
    async (c, { query }) => {
      const principal = await requirePrincipal(c)
      requireFullScope(principal)
      const { identity } = principal
      const page = await selectPage(c.env.sql, Token, query, {
        columns: tokenColumns,
        from: fragment`gateway.tokens where organization_id = ${identity.organization_id}
          and user_id = ${identity.id}`,
        order: fragment`created_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  post(
    '/auth/tokens',
    {
      summary: 'Create an API token',
      body: z.object({
        name: z.string().min(1).max(200),
        scopes: z
          .array(z.enum(scopes as [string, ...string[]]))
          .min(1)
          .max(50),
        expires_at: StoredInstant.nullish().describe('Default: never.'),
      }),
      responses: { 201: NewToken },
      faults: ['UNAUTHENTICATED', 'FORBIDDEN', 'CONFLICT'],
    },
    async (c, { body }) => {
      const { identity, credential } = await requirePrincipal(c)
      if (credential.kind !== 'session') {
        throw new Fault('FORBIDDEN', 'An API token cannot create API tokens. Sign in first.')
      }
      const token = `lst_${randomSecret()}`
      const row = await c.env.sql.row(Token)`
        insert into gateway.tokens
          (id, token_hash, user_id, organization_id, name, scopes, expires_at)
        select ${newId()}::uuid, ${await sha256Hex(token)}, ${identity.id}, ${identity.organization_id},
          ${body.name}, ${json(body.scopes)},
          ${body.expires_at == null ? fragment`null::timestamptz` : timestamp(body.expires_at)}
        where (select count(*) from gateway.tokens where organization_id = ${identity.organization_id}
          and user_id = ${identity.id}) < ${maxTokens}
        returning ${tokenColumns}`
      if (!row) {
        throw new Fault(
          'CONFLICT',
          `A person has at most ${maxTokens} API tokens. Revoke one first.`,
        )
      }
      return ok(c, { ...row, token }, 201)
    },
  ),

  del(
    '/auth/tokens/:id',
    {
      summary: 'Revoke one of own API tokens',
      params: z.object({ id: Id }),
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
    },
    async (c, { params }) => {
      const principal = await requirePrincipal(c)
      requireFullScope(principal)
      const { identity } = principal
      const revoked = await c.env.sql`
        delete from gateway.tokens where id = ${params.id} and user_id = ${identity.id}
          and organization_id = ${identity.organization_id} returning id`
      if (revoked.length === 0) throw notFound(`API token ${params.id}`)
      c.env.identities.clear()
      return ok(c, { deleted: true as const })
    },
  ),
]
