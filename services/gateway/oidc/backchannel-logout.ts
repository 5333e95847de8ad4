import * as z from 'zod'
import { readBytes } from '../../_kit/body.ts'
import { ok } from '../../_kit/endpoint.ts'
import { invalid } from '../../_kit/fault.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { errorFields } from '../../_kit/log.ts'
import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import { post } from '../deps.ts'
import { requireProvider } from './sign-in.ts'
import { isUnavailable, toSignInFault } from './sign-in-fault.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const maxAgeSeconds = 300
const bodyLimit = 64 * 1024

/** Claims of a logout token. A `nonce` would make it an ID token. */
const LogoutClaims = z
  .object({
    iat: z.number(),
    jti: z.string().min(1).max(500),
    sub: z.string().optional(),
    sid: z.string().optional(),
    events: z.object({ [logoutEvent]: z.object({}) }),
    nonce: z.never().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'sub or sid is required')
type LogoutClaims = z.output<typeof LogoutClaims>

/** OpenID Connect Back-Channel Logout 1.0. */
export const backchannelLogout = [
  post(
    '/auth/backchannel-logout',
    {
      summary: 'End the sessions that the provider ended',
      stream: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            required: ['logout_token'],
            properties: { logout_token: { type: 'string' } },
          },
        },
      },
      responses: { 200: z.object({ ended: z.int() }) },
      faults: ['VALIDATION_FAILED', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c) => {
      const provider = requireProvider(c)
      const { sql, identities, kit } = c.env
      const form = new URLSearchParams(
        new TextDecoder().decode(await readBytes(c.req.raw, bodyLimit)),
      )
      c.header('Cache-Control', 'no-store')
      let claims: LogoutClaims
      try {
        const audience = provider.settings.clientId
        const token = form.get('logout_token') ?? ''
        claims = LogoutClaims.parse(await provider.verify(sql, token, { audience }))
        if (Math.abs(Date.now() / 1_000 - claims.iat) > maxAgeSeconds) throw new Error('too old')
      } catch (thrown) {
        if (isUnavailable(thrown)) throw toSignInFault(c, thrown)
        kit.log.warn(errorFields(thrown), 'logout token refused')
        throw invalidToken()
      }
      const ended = await sql.transaction((tx) => endSessions(tx, claims))
      identities.clear()
      return ok(c, { ended })
    },
  ),
]

const invalidToken = () => invalid([{ path: 'logout_token', message: 'Not a valid logout token.' }])

/** Ends the sessions that a logout token names. A token is accepted once. */
async function endSessions(sql: Sql, { jti, sub, sid }: LogoutClaims): Promise<number> {
  const [fresh] = await sql`
    insert into gateway.used_tokens (id_hash, expires_at)
    values (${await sha256Hex(`logout ${jti}`)}, now() + ${2 * maxAgeSeconds} * interval '1 second')
    on conflict do nothing returning id_hash`
  if (!fresh) throw invalidToken()
  const ofSession = sid === undefined ? fragment`true` : fragment`provider_session = ${sid}`
  const ofSubject = sub === undefined ? fragment`true` : fragment`provider_subject = ${sub}`
  const ended = await sql`
    delete from gateway.sessions where ${ofSession} and ${ofSubject} returning id`
  return ended.length
}
