import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { OidcSettings } from './config.ts'
import { makeDocument } from './documents.ts'

/** The OpenID Connect provider: its client configuration and the verification of its tokens. */
export interface Provider {
  settings: OidcSettings
  configure(sql: Sql): Promise<client.Configuration>
  /** Verifies signature, issuer, audience and times of a token. Throws an error of jose. */
  verify(sql: Sql, token: string, expected: { audience: string; typ?: string }): Promise<JWTPayload>
}

/** Asymmetric algorithms only: `none` and HMAC with a public key as secret never verify. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const timeoutSeconds = 10
/** An unknown key id makes the gateway fetch the keys again, at most once in this time. */
const keyCooldownMs = 5_000
const clockToleranceSeconds = 5

export function makeProvider(settings: OidcSettings): Provider {
  const { issuer, clientId, clientSecret, allowHttp } = settings
  const permitHttp = allowHttp ? [client.allowInsecureRequests] : []

  const loadMetadata = makeDocument(issuer, 'metadata', async () => {
    const options = { execute: permitHttp, timeout: timeoutSeconds }
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, options)
    return { ...found.serverMetadata() }
  })

  const loadKeys = makeDocument(issuer, 'keys', async (sql) => {
    const { body } = await loadMetadata(sql)
    const response = await fetch(String(body.jwks_uri), {
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      // A redirect is not followed: it is no success.
      redirect: 'manual',
    })
    if (!response.ok) throw new Error(`the keys of the provider: status ${response.status}`)
    return (await response.json()) as Record<string, unknown>
  })

  async function verifyWith(
    sql: Sql,
    token: string,
    { audience, typ }: { audience: string; typ?: string },
    keyAgeMs?: number,
  ) {
    const { body } = await loadKeys(sql, keyAgeMs)
    const keys = createLocalJWKSet(body as unknown as JSONWebKeySet)
    const metadata = await loadMetadata(sql)
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer: String(metadata.body.issuer),
      audience,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'iat'],
      ...(typ !== undefined && { typ }),
    })
    return payload
  }

  return {
    settings,

    async configure(sql) {
      const { body } = await loadMetadata(sql)
      const metadata = body as unknown as client.ServerMetadata
      const configuration = new client.Configuration(
        metadata,
        clientId,
        undefined,
        clientAuthentication(metadata, clientSecret),
      )
      configuration.timeout = timeoutSeconds
      for (const permit of permitHttp) permit(configuration)
      return configuration
    },

    async verify(sql, token, expected) {
      try {
        return await verifyWith(sql, token, expected)
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown
        return verifyWith(sql, token, expected, keyCooldownMs)
      }
    },
  }
}

/** `client_secret_basic` is the default of the specification; some providers support `post` only. */
function clientAuthentication(metadata: client.ServerMetadata, secret: string | undefined) {
  if (secret === undefined) return client.None()
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)
}
