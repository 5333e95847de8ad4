import * as client from 'openid-client'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Identity } from '../principal.ts'
import { type Claims, identityFromClaims, isIncomplete } from './claims.ts'
import type { Provider } from './provider.ts'

export interface ProviderIdentity {
  identity: Identity
  subject: string
  /** Session at the provider, for back-channel logout. */
  sessionId: string | null
}

/**
 * Reads the person from the ID token, whose signature is verified. Claims that it lacks are read from the
 * userinfo endpoint, if the provider has one.
 */
export async function identityFromTokens(
  sql: Sql,
  provider: Provider,
  { id_token, access_token }: { id_token?: string; access_token: string },
): Promise<ProviderIdentity> {
  const { settings } = provider
  const verified = await provider.verify(sql, id_token ?? '', { audience: settings.clientId })
  const subject = String(verified.sub)
  let claims: Claims = verified
  const configuration = await provider.configure(sql)
  const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (isIncomplete(claims, settings.claims) && hasUserinfo) {
    // The ID token is signed, so its claims win.
    claims = { ...(await client.fetchUserInfo(configuration, access_token, subject)), ...claims }
  }
  return {
    identity: identityFromClaims(claims, settings.claims),
    subject,
    sessionId: typeof verified.sid === 'string' ? verified.sid : null,
  }
}
