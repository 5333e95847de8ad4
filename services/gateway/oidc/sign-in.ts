import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import * as client from 'openid-client'
import * as z from 'zod'
import type { Env } from '../../_kit/context.ts'
import { notFound } from '../../_kit/fault.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { type Deps, get } from '../deps.ts'
import { randomSecret } from '../secret.ts'
import { cookieName, startSession } from '../session-store.ts'
import { identityFromTokens } from './identity.ts'
import { localPath } from './local-path.ts'
import { toSignInFault } from './sign-in-fault.ts'

const redirect = { 302: { content: {} } }
const signInMinutes = 10

const SignIn = z.object({ nonce: z.string(), code_verifier: z.string(), return_to: z.string() })

/** Sign-in by authorization code with PKCE. The browser gets a session cookie and no token. */
export const signIn = [
  get(
    '/auth/login',
    {
      summary: 'Sign in at the provider',
      query: z.object({
        return_to: z
          .string()
          .optional()
          .describe('Path of the gateway to return to. Other addresses are ignored. Default: /.'),
      }),
      responses: redirect,
      faults: ['NOT_FOUND', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { query }) => {
      const { sql } = c.env
      const { settings, configure } = requireProvider(c)
      const configuration = await configure(sql).catch((thrown) => {
        throw toSignInFault(c, thrown)
      })
      const [state, nonce] = [client.randomState(), client.randomNonce()]
      const verifier = client.randomPKCECodeVerifier()
      await sql`
        insert into gateway.sign_ins
          (state_hash, browser_hash, nonce, code_verifier, return_to, expires_at)
        values (${await sha256Hex(state)}, ${await sha256Hex(browserSecret(c))}, ${nonce},
          ${verifier}, ${localPath(query.return_to)},
          now() + ${signInMinutes} * interval '1 minute')`
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${settings.publicUrl}/auth/callback`,
        scope: settings.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      c.header('Cache-Control', 'no-store')
      return c.redirect(url.href)
    },
  ),

  get(
    '/auth/callback',
    {
      summary: 'Complete the sign-in with the response of the provider',
      responses: redirect,
      faults: ['NOT_FOUND', 'FORBIDDEN', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c) => {
      const provider = requireProvider(c)
      const { sql } = c.env
      const { search, searchParams } = new URL(c.req.url)
      const state = searchParams.get('state') ?? ''
      const started = await takeSignIn(c, state)
      try {
        const url = new URL(`${provider.settings.publicUrl}/auth/callback${search}`)
        const tokens = await client.authorizationCodeGrant(await provider.configure(sql), url, {
          pkceCodeVerifier: started.code_verifier,
          expectedState: state,
          expectedNonce: started.nonce,
          idTokenExpected: true,
        })
        const { identity, subject, sessionId } = await identityFromTokens(sql, provider, tokens)
        await endPreviousSession(c)
        await startSession(c, identity, {
          subject,
          sessionId,
          refreshToken: tokens.refresh_token,
          expiresInSeconds: tokens.expiresIn() ?? 300,
        })
      } catch (thrown) {
        throw toSignInFault(c, thrown)
      }
      c.header('Cache-Control', 'no-store')
      return c.redirect(started.return_to)
    },
  ),
]

export function requireProvider(c: Context<Env<Deps>>) {
  if (!c.env.provider) throw notFound('sign-in provider')
  return c.env.provider
}

const signInCookie = ({ secure }: Deps) =>
  secure ? '__Host-legal_suite_sign_in' : 'legal_suite_sign_in'

/** Secret of the browser that starts a sign-in. Tabs share it, so that each of them can finish. */
function browserSecret(c: Context<Env<Deps>>): string {
  const name = signInCookie(c.env)
  const existing = getCookie(c, name)
  const secret = existing && existing.length <= 100 ? existing : randomSecret()
  setCookie(c, name, secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: c.env.secure,
    maxAge: signInMinutes * 60,
  })
  return secret
}

/** Takes the sign-in that this browser started. A state of another browser, or used twice, is refused. */
async function takeSignIn(c: Context<Env<Deps>>, state: string) {
  const browser = getCookie(c, signInCookie(c.env)) ?? ''
  const started = await c.env.sql.row(SignIn)`
    delete from gateway.sign_ins
    where state_hash = ${await sha256Hex(state)} and browser_hash = ${await sha256Hex(browser)}
      and expires_at > now()
    returning nonce, code_verifier, return_to`
  if (!started) throw toSignInFault(c, 'unknown state')
  return started
}

/** Ends the session that the browser had before, so that one cookie never stands for two sessions. */
async function endPreviousSession(c: Context<Env<Deps>>) {
  const previous = getCookie(c, cookieName(c.env))
  if (!previous) return
  await c.env.sql`delete from gateway.sessions where token_hash = ${await sha256Hex(previous)}`
  c.env.identities.clear()
}
