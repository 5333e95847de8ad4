import * as client from 'openid-client'
import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../principal.ts'
import { savePerson } from '../session-store.ts'
import { identityFromTokens } from './identity.ts'
import { isUnavailable } from './sign-in-fault.ts'

const Claimed = z.object({ refresh_token: z.string(), provider_subject: z.string() })

/** Time until another replica may try a refresh that did not finish. */
const retrySeconds = 30

/**
 * Refreshes the rights of a session at the provider and returns them. Returns undefined and ends the
 * session if the provider refuses. One replica refreshes at a time, because a refresh token may be valid
 * once only; the others continue with the rights they know.
 */
export async function refreshSession(
  context: ServiceContext<Deps>,
  sessionId: string,
  known: Identity,
): Promise<Identity | undefined> {
  const { sql, provider, kit } = context
  const claimed = await sql.row(Claimed)`
    update gateway.sessions set refresh_at = now() + ${retrySeconds} * interval '1 second'
    where id = ${sessionId} and refresh_at < now()
    returning refresh_token, provider_subject`
  if (!claimed || !provider) return known
  try {
    return await refresh(context, sessionId, known, claimed)
  } catch (thrown) {
    kit.log.warn({ session: sessionId, ...errorFields(thrown) }, 'session refresh failed')
    if (isUnavailable(thrown)) return known
    await sql`delete from gateway.sessions where id = ${sessionId}`
    return undefined
  }
}

async function refresh(
  { sql, provider, encryption }: ServiceContext<Deps>,
  sessionId: string,
  known: Identity,
  { refresh_token, provider_subject }: z.output<typeof Claimed>,
): Promise<Identity> {
  const secret = await encryption?.decrypt(refresh_token, sessionId)
  if (secret === undefined) throw new Error('the refresh token cannot be decrypted')
  const tokens = await client.refreshTokenGrant(await provider!.configure(sql), secret)
  const identity = tokens.id_token ? await readIdentity() : known
  const nextToken = tokens.refresh_token ?? secret
  await sql.transaction(async (tx) => {
    await savePerson(tx, identity)
    await tx`
      update gateway.sessions
      set refresh_token = ${await encryption!.encrypt(nextToken, sessionId)},
        refresh_at = now() + ${tokens.expiresIn() ?? 300} * interval '1 second'
      where id = ${sessionId}`
  })
  return identity

  async function readIdentity(): Promise<Identity> {
    const { identity, subject } = await identityFromTokens(sql, provider!, tokens)
    const isSamePerson =
      subject === provider_subject &&
      identity.id === known.id &&
      identity.organization_id === known.organization_id
    if (!isSamePerson) throw new Error('the provider returned another person')
    return identity
  }
}
