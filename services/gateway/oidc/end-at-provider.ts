import * as client from 'openid-client'
import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'

/**
 * Revokes the refresh token and returns the address that ends the session at the provider. A provider
 * that does not respond does not prevent the logout. The address holds no token.
 */
export async function endAtProvider(
  { sql, provider, kit }: ServiceContext<Deps>,
  refreshToken: string | undefined,
): Promise<{ end_session_url?: string }> {
  if (!provider) return {}
  try {
    const configuration = await provider.configure(sql)
    const { revocation_endpoint, end_session_endpoint } = configuration.serverMetadata()
    if (refreshToken !== undefined && revocation_endpoint !== undefined) {
      await client.tokenRevocation(configuration, refreshToken)
    }
    if (end_session_endpoint === undefined) return {}
    const url = client.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${provider.settings.publicUrl}/`,
    })
    return { end_session_url: url.href }
  } catch (thrown) {
    kit.log.warn(errorFields(thrown), 'logout at the provider failed')
    return {}
  }
}
