import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { kubeconfigAccess } from './access.ts'
import { makeClient } from './client.ts'
import { authority, serverIdentity } from './testing/certificates.ts'
import { configMaps } from './testing/informer-fixture.ts'
import { makeConfigDirectory } from './testing/kubeconfig-files.ts'
import { startTlsApi } from './testing/tls-api.ts'

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const idToken = (claims: object) =>
  [base64url({ alg: 'RS256' }), base64url(claims), 'signature'].join('.')

/** An identity provider that issues tokens for an hour. */
async function startIssuer() {
  const refreshTokens: unknown[] = []
  const server = createServer(serverIdentity, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeader('content-type', 'application/json')
    if (request.url !== '/token') {
      return response.end(JSON.stringify({ issuer, token_endpoint: `${issuer}/token` }))
    }
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    refreshTokens.push(body.get('refresh_token'))
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, sub: 'admin', aud: 'kubernetes', iat: now, exp: now + 3600 }
    return response.end(
      JSON.stringify({
        access_token: 'access',
        token_type: 'bearer',
        expires_in: 3600,
        id_token: idToken({ ...claims, jti: `${refreshTokens.length}` }),
        refresh_token: `refresh-${refreshTokens.length}`,
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => server.closeAllConnections() ?? void server.close())
  return { issuer, refreshTokens }
}

beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), authority]))

test('an expired OIDC token is refreshed once', async () => {
  const { issuer, refreshTokens } = await startIssuer()
  const api = await startTlsApi()
  onTestFinished(() => void api.close())
  const expired = idToken({ iss: issuer, aud: 'kubernetes', exp: 1_000_000_000 })
  const config = {
    'idp-issuer-url': issuer,
    'client-id': 'kubernetes',
    'id-token': expired,
    'refresh-token': 'refresh-0',
  }
  const path = makeConfigDirectory().kubeconfig('config', {
    user: { 'auth-provider': { name: 'oidc', config } },
    cluster: { server: api.url },
  })
  const client = makeClient({ access: await kubeconfigAccess(path), maxAttempts: 1 })
  for (let n = 0; n < 3; n++) await client.list(configMaps)
  expect(refreshTokens).toEqual(['refresh-0'])
  expect(new Set(api.tokens())).toHaveLength(1)
  expect(api.tokens()[0]).not.toBe(expired)
})
