import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import { freePort } from './free-port.ts'

export const clientId = 'legal-suite'
const clientSecret = 'a-client-secret-for-tests'
export const audience = 'https://suite.example/api'
const kid = 'first-key'

/** Address of the gateway for browsers. Tests send its requests to the gateway under test. */
export const publicUrl = 'https://suite.example'

export type TestClaims = Record<string, unknown>

/** An OpenID Connect provider on loopback that signs in `person` without asking. `address` is that of the gateway. */
export async function startOidcProvider(people: Record<string, TestClaims>, address = publicUrl) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
  const state = { person: Object.keys(people)[0]!, refuse: false }
  const logout: { relay: (request: Request) => Promise<Response> } = {
    relay: async () => new Response(null, { status: 404 }),
  }
  const claimNames = [...new Set(Object.values(people).flatMap(Object.keys))]

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${address}/auth/callback`],
        post_logout_redirect_uris: [`${address}/`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        backchannel_logout_uri: `${address}/auth/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['cookie-secret'] },
    claims: { openid: ['sub', ...claimNames] },
    conformIdTokenClaims: false,
    findAccount: async (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people[id] }),
    }),
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    // The gateway under test does not listen at its public URL.
    fetch: async (_, options) =>
      logout.relay(
        new Request('http://gateway/auth/backchannel-logout', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: String(options?.body),
        }),
      ),
  })

  const refreshTokens: string[] = []
  provider.on('refresh_token.saved', ({ jti }) => refreshTokens.push(jti))

  /** Signs in the current person, or refuses, as a user would on the page of the provider. */
  async function interact(request: IncomingMessage, response: ServerResponse) {
    const details = await provider.interactionDetails(request, response)
    if (state.refuse) {
      const result = { error: 'access_denied', error_description: '<b>no</b>' }
      return provider.interactionFinished(request, response, result)
    }
    const grant = new provider.Grant({ accountId: state.person, clientId })
    grant.addOIDCScope('openid profile email offline_access')
    grant.addOIDCClaims(claimNames)
    const consent = { grantId: await grant.save() }
    const login = { accountId: details.session?.accountId ?? state.person }
    return provider.interactionFinished(request, response, { login, consent })
  }

  const serve = provider.callback()
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/interaction/')) return interact(request, response)
    return serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    /** Refresh tokens in the order in which they were issued. */
    refreshTokens,
    isActive: async (refreshToken: string) =>
      (await provider.RefreshToken.find(refreshToken)) !== undefined,
    revoke: async (refreshToken: string) =>
      (await provider.RefreshToken.find(refreshToken))?.destroy(),
    logout,
    /** Signs claims with the key of the provider, or with another key. */
    sign: (claims: TestClaims, header: object = {}, key: CryptoKey | Uint8Array = privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(key),
    /** Environment of a gateway that uses this provider. */
    env: {
      PUBLIC_URL: address,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_AUDIENCE: audience,
      OIDC_ROLE_GRANTS: 'attorneys=lawyer,partners=firm_admin,partners=platform:manage',
      GATEWAY_ENCRYPTION_KEY: 'an-encryption-key-for-tests-only-0001',
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>
