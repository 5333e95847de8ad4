import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault, invalid, notFound } from '../_kit/fault.ts'
import { sha256Hex } from '../_kit/hash.ts'
import { newId } from '../_kit/ids.ts'
import { json } from '../_kit/sql/sql.ts'
import { authenticate, cookieName } from './authenticate.ts'
import { requireCsrf } from './authorize.ts'
import { type Deps, get, post } from './deps.ts'
import { samplePeople } from './people.ts'
import { type Identity, type Principal, UserType } from './principal.ts'

const Person = z.object({ id: z.string(), name: z.string(), user_type: UserType })

const Me = z
  .object({
    id: z.string(),
    name: z.string(),
    organization_id: z.string(),
    user_type: UserType,
    permissions: z.array(z.string()),
    csrf: z.string().nullable().describe('Sent as X-CSRF-Token on writes; null with an API token.'),
  })
  .meta({ id: 'Me' })

export const auth = [
  get(
    '/auth/people',
    {
      summary: 'List the sample people of local sign-in',
      responses: { 200: z.array(Person) },
      faults: ['NOT_FOUND'],
    },
    async (c) => {
      requireLocalSignIn(c)
      return ok(
        c,
        samplePeople.map(({ id, name, user_type }) => ({ id, name, user_type })),
      )
    },
  ),

  post(
    '/auth/local',
    {
      summary: 'Sign in as a sample person',
      body: z.object({ person: z.string().max(200) }),
      responses: { 200: Me },
      faults: ['NOT_FOUND', 'FORBIDDEN'],
    },
    async (c, { body }) => {
      requireLocalSignIn(c)
      requireSameOrigin(c)
      const person = samplePeople.find(({ id }) => id === body.person)
      if (!person)
        throw invalid([{ path: 'person', message: 'Unknown person. See GET /auth/people.' }])
      return ok(c, toMe(await startSession(c, person)))
    },
  ),

  get(
    '/auth/me',
    { summary: 'Get the signed-in person', responses: { 200: Me }, faults: ['UNAUTHENTICATED'] },
    async (c) => ok(c, toMe(await requirePrincipal(c))),
  ),

  post(
    '/auth/logout',
    {
      summary: 'End the session',
      responses: { 200: z.object({ signed_out: z.boolean() }) },
      faults: ['FORBIDDEN'],
    },
    async (c) => {
      const principal = await authenticate(c)
      if (principal?.credential.kind !== 'session') return ok(c, { signed_out: false })
      requireCsrf(principal, c.req.raw)
      await c.env.sql`delete from gateway.sessions where id = ${principal.credential.id}`
      c.env.identities.clear()
      deleteCookie(c, cookieName(c.env), { path: '/', secure: c.env.secure })
      return ok(c, { signed_out: true })
    },
  ),
]

/** Returns the person behind a request; for a session's write its CSRF token is required. */
export async function requirePrincipal(c: Context<Env<Deps>>): Promise<Principal> {
  const principal = await authenticate(c)
  if (!principal) throw new Fault('UNAUTHENTICATED', 'Sign in first, or send an API token.')
  requireCsrf(principal, c.req.raw)
  return principal
}

const loopbackHost = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Local sign-in exists only on loopback. The Host header is checked against DNS rebinding. */
function requireLocalSignIn(c: Context<Env<Deps>>) {
  if (!c.env.localSignIn || !loopbackHost.test(new URL(c.req.url).hostname)) {
    throw notFound('local sign-in')
  }
}

/** Rejects a sign-in that another site's page sends. */
function requireSameOrigin(c: Context<Env<Deps>>) {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== new URL(c.req.url).origin) {
    throw new Fault('FORBIDDEN', `Sign-in from ${origin} is not allowed.`)
  }
}

async function startSession(c: Context<Env<Deps>>, identity: Identity): Promise<Principal> {
  const { sql, secure, sessionHours } = c.env
  const [id, token, csrf] = [newId(), randomSecret(), randomSecret()]
  await sql`
    insert into gateway.sessions
      (id, token_hash, user_id, organization_id, identity, csrf, address, user_agent, expires_at)
    values (${id}, ${await sha256Hex(token)}, ${identity.id}, ${identity.organization_id},
      ${json(identity)}, ${csrf}, ${(c.req.header('x-forwarded-for') ?? '').slice(0, 200)},
      ${(c.req.header('user-agent') ?? '').slice(0, 500)}, now() + ${sessionHours} * interval '1 hour')`
  setCookie(c, cookieName(c.env), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure,
    maxAge: sessionHours * 3_600,
  })
  return { identity, credential: { kind: 'session', id, csrf } }
}

/** 256 random bits, base64url. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}

function toMe({ identity, credential }: Principal): z.infer<typeof Me> {
  const { superuser, ...person } = identity
  return { ...person, csrf: credential.kind === 'session' ? credential.csrf : null }
}
