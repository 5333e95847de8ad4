import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { invalid, notFound } from '../_kit/fault.ts'
import { authenticate } from './authenticate.ts'
import { requireCsrf } from './authorize.ts'
import { type Deps, get, post } from './deps.ts'
import { loopbackHost, requireKnownOrigin } from './known-origin.ts'
import { endAtProvider } from './oidc/end-at-provider.ts'
import { samplePeople } from './people.ts'
import { type Principal, UserType } from './principal.ts'
import { unauthenticated } from './protected-resource.ts'
import { endSession, startSession } from './session-store.ts'

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
      requireKnownOrigin(c)
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
      responses: {
        200: z.object({
          signed_out: z.boolean(),
          end_session_url: z
            .string()
            .optional()
            .describe('Address at which the browser ends its session at the provider.'),
        }),
      },
      faults: ['FORBIDDEN'],
    },
    async (c) => {
      const principal = await authenticate(c)
      if (principal?.credential.kind !== 'session') return ok(c, { signed_out: false })
      requireCsrf(principal, c.req.raw)
      const refreshToken = await endSession(c, principal.credential.id)
      return ok(c, { signed_out: true, ...(await endAtProvider(c.env, refreshToken)) })
    },
  ),
]

/** Returns the person behind a request; for a session's write its CSRF token is required. */
export async function requirePrincipal(c: Context<Env<Deps>>): Promise<Principal> {
  const principal = await authenticate(c)
  if (!principal) throw unauthenticated(c)
  requireCsrf(principal, c.req.raw)
  return principal
}

/**
 * Local sign-in exists only on loopback. The Host header is checked against DNS rebinding, and so is the
 * host of the URL, which a request line with a whole URL sets.
 */
function requireLocalSignIn(c: Context<Env<Deps>>) {
  const { hostname } = new URL(c.req.url)
  const header = c.req.header('host')?.replace(/:\d+$/, '') ?? hostname
  if (!c.env.localSignIn || !loopbackHost.test(hostname) || !loopbackHost.test(header)) {
    throw notFound('local sign-in')
  }
}

function toMe({ identity, credential }: Principal): z.infer<typeof Me> {
  const { superuser, ...person } = identity
  return { ...person, csrf: credential.kind === 'session' ? credential.csrf : null }
}
