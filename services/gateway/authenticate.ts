import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import * as z from 'zod'
import type { Env, ServiceContext } from '../_kit/context.ts'
import { sha256Hex } from '../_kit/hash.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import { authenticateBearer } from './oidc/bearer.ts'
import { refreshSession } from './oidc/refresh.ts'
import { Identity, type Principal } from './principal.ts'
import { cookieName, loadSession } from './session-store.ts'

const TokenRow = z.object({ id: z.string(), identity: Identity, scopes: z.array(z.string()) })

const apiToken = /^lst_[\w-]{20,200}$/
const maxCookieLength = 100
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * The person behind a request, by API token, bearer token of the provider or session cookie; undefined if
 * there is no valid credential.
 */
export function authenticate(c: Context<Env<Deps>>): Promise<Principal | undefined> {
  const { raw } = c.req
  const known = principals.get(raw) ?? findPrincipal(c)
  principals.set(raw, known)
  return known
}

/** Principals of the requests in progress. */
const principals = new WeakMap<Request, Promise<Principal | undefined>>()

async function findPrincipal(c: Context<Env<Deps>>): Promise<Principal | undefined> {
  const { sql, identities } = c.env
  const authorization = c.req.header('authorization')
  if (authorization === undefined) {
    const cookie = getCookie(c, cookieName(c.env))
    if (!cookie || cookie.length > maxCookieLength) return undefined
    return identities.resolve(`session ${cookie}`, async () =>
      resolveSession(c.env, await sha256Hex(cookie)),
    )
  }
  // A bearer token never falls back to a cookie: the request is a program's.
  const token = /^Bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? ''
  if (apiToken.test(token)) {
    return identities.resolve(`token ${token}`, async () =>
      resolveToken(sql, await sha256Hex(token)),
    )
  }
  if (!jwt.test(token)) return undefined
  return identities.resolve(`bearer ${await sha256Hex(token)}`, () =>
    authenticateBearer(c.env, token),
  )
}

async function resolveSession(
  context: ServiceContext<Deps>,
  hash: string,
): Promise<Principal | undefined> {
  const session = await loadSession(context.sql, hash)
  if (!session) return undefined
  const { id, csrf } = session
  const identity = session.refresh_due
    ? await refreshSession(context, id, session.identity)
    : session.identity
  return identity && { identity, credential: { kind: 'session', id, csrf } }
}

async function resolveToken(sql: Sql, hash: string): Promise<Principal | undefined> {
  const row = await sql.row(TokenRow)`
    with used as (
      update gateway.tokens set last_used_at = now()
      where token_hash = ${hash}
        and (last_used_at is null or last_used_at < now() - interval '15 seconds'))
    select token.id, person.identity, token.scopes
    from gateway.tokens token join gateway.people person using (organization_id, user_id)
    where token.token_hash = ${hash} and (token.expires_at is null or token.expires_at > now())
      and person.active`
  return (
    row && { identity: row.identity, credential: { kind: 'token', id: row.id, scopes: row.scopes } }
  )
}
