import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import { sha256Hex } from '../_kit/hash.ts'
import { newId } from '../_kit/ids.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { clientAddress } from './client-address.ts'
import type { Deps } from './deps.ts'
import { Identity, type Principal } from './principal.ts'
import { randomSecret } from './secret.ts'

/** `__Host-` cookies need https; plain http exists on loopback only. */
export const cookieName = ({ secure }: Deps) => (secure ? '__Host-legal_suite' : 'legal_suite')

/** What the provider of a session returned at its start. */
export interface ProviderSession {
  subject: string
  sessionId: string | null
  refreshToken: string | undefined
  /** Lifetime of the access token. The session is refreshed when it ends. */
  expiresInSeconds: number
}

/** Starts a session for the browser of a request. */
export async function startSession(
  c: Context<Env<Deps>>,
  identity: Identity,
  provider?: ProviderSession,
): Promise<Principal> {
  const { sql, secure, sessionHours, encryption } = c.env
  const [id, token, csrf] = [newId(), randomSecret(), randomSecret()]
  const refreshToken =
    provider?.refreshToken === undefined
      ? null
      : ((await encryption?.encrypt(provider.refreshToken, id)) ?? null)
  const tokenHash = await sha256Hex(token)
  await sql.transaction(async (tx) => {
    await savePerson(tx, identity)
    if (await isRemoved(tx, identity)) {
      throw new Fault('FORBIDDEN', 'The account was removed. Ask an administrator.')
    }
    await tx`
      insert into gateway.sessions
        (id, token_hash, user_id, organization_id, csrf, address, user_agent, expires_at,
         provider_subject, provider_session, refresh_token, refresh_at)
      values (${id}, ${tokenHash}, ${identity.id}, ${identity.organization_id}, ${csrf},
        ${clientAddress(c)},
        ${(c.req.header('user-agent') ?? '').slice(0, 500)},
        now() + ${sessionHours} * interval '1 hour',
        ${provider?.subject ?? null}, ${provider?.sessionId ?? null}, ${refreshToken},
        case when ${refreshToken !== null}
          then now() + ${provider?.expiresInSeconds ?? 0} * interval '1 second' end)`
  })
  setCookie(c, cookieName(c.env), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure,
    maxAge: sessionHours * 3_600,
  })
  return { identity, credential: { kind: 'session', id, csrf } }
}

/** Stores the rights of a person as of now. Sessions and API tokens of the person get them too. */
export const savePerson = (sql: Sql, identity: Identity) => sql`
  insert into gateway.people (organization_id, user_id, identity)
  values (${identity.organization_id}, ${identity.id}, ${json(identity)})
  on conflict (organization_id, user_id)
    do update set identity = excluded.identity, updated_at = now()`

/** Whether the directory removed the person, in any spelling of the name. */
export async function isRemoved(sql: Sql, { organization_id, id }: Identity): Promise<boolean> {
  const removed = await sql`
    select from gateway.people
    where organization_id = ${organization_id} and lower(user_id) = lower(${id}) and not active`
  return removed.length > 0
}

const EndedSession = z.object({ refresh_token: z.string().nullable() })

/** Ends a session and clears its cookie. Returns the refresh token that it held, if any. */
export async function endSession(
  c: Context<Env<Deps>>,
  sessionId: string,
): Promise<string | undefined> {
  const { sql, identities, encryption, secure } = c.env
  const ended = await sql.row(EndedSession)`
    delete from gateway.sessions where id = ${sessionId} returning refresh_token`
  identities.clear()
  deleteCookie(c, cookieName(c.env), { path: '/', secure })
  return ended?.refresh_token ? encryption?.decrypt(ended.refresh_token, sessionId) : undefined
}

const SessionRow = z.object({
  id: z.string(),
  identity: Identity,
  csrf: z.string(),
  refresh_due: z.boolean(),
})

/** Loads the session of a cookie, with whether its rights must be refreshed at the provider. */
export const loadSession = (sql: Sql, tokenHash: string) => sql.row(SessionRow)`
  with seen as (
    update gateway.sessions set last_seen_at = now()
    where token_hash = ${tokenHash} and last_seen_at < now() - interval '15 seconds')
  select session.id, person.identity, session.csrf,
    coalesce(session.refresh_at < now(), false) as refresh_due
  from gateway.sessions session
  join gateway.people person using (organization_id, user_id)
  where session.token_hash = ${tokenHash} and session.expires_at > now() and person.active`

export async function deleteExpired(sql: Sql): Promise<void> {
  await sql`delete from gateway.sessions where expires_at < now()`
  await sql`delete from gateway.sign_ins where expires_at < now()`
  await sql`delete from gateway.used_tokens where expires_at < now()`
}
