import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { sha256Hex } from '../_kit/hash.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import { Identity, type Principal } from './principal.ts'

/** `__Host-` cookies need https; plain http exists on loopback only. */
export const cookieName = ({ secure }: Deps) => (secure ? '__Host-legal_suite' : 'legal_suite')

const SessionRow = z.object({ id: z.string(), identity: Identity, csrf: z.string() })
const TokenRow = z.object({ id: z.string(), identity: Identity, scopes: z.array(z.string()) })

/** The person behind a request, by API token or session cookie; undefined if there is no valid one. */
export async function authenticate(c: Context<Env<Deps>>): Promise<Principal | undefined> {
  const bearer = /^Bearer (lst_[\w-]{20,200})$/i.exec(c.req.header('authorization') ?? '')?.[1]
  const cookie = getCookie(c, cookieName(c.env))
  // A bearer token wins and never falls back to a cookie: the request is a program's.
  const secret = c.req.header('authorization') === undefined ? cookie : bearer
  if (!secret) return undefined
  const hash = await sha256Hex(secret)
  const cached = c.env.identities.get(hash)
  if (cached) return cached
  const principal = bearer ? await loadToken(c.env.sql, hash) : await loadSession(c.env.sql, hash)
  if (principal) c.env.identities.set(hash, principal)
  return principal
}

async function loadSession(sql: Sql, hash: string): Promise<Principal | undefined> {
  const row = await sql.row(SessionRow)`
    update gateway.sessions set last_seen_at = now()
    where token_hash = ${hash} and expires_at > now()
    returning id, identity, csrf`
  return (
    row && { identity: row.identity, credential: { kind: 'session', id: row.id, csrf: row.csrf } }
  )
}

async function loadToken(sql: Sql, hash: string): Promise<Principal | undefined> {
  const row = await sql.row(TokenRow)`
    update gateway.tokens set last_used_at = now()
    where token_hash = ${hash} and (expires_at is null or expires_at > now())
    returning id, identity, scopes`
  return (
    row && { identity: row.identity, credential: { kind: 'token', id: row.id, scopes: row.scopes } }
  )
}
