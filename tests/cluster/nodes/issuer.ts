import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { nodePod, restrictedPod } from './pods.ts'

const audience = 'legal'
const kid = 'test-key'

/** The settings of a gateway that trusts the issuer of a namespace. */
export const issuerUrl = (namespace: string) => `https://issuer.${namespace}.svc`
export const oidc = (namespace: string) => ({
  issuer: issuerUrl(namespace),
  audience,
  clientId: 'legal-suite',
})

/** Serves the metadata and the keys of an OpenID Connect provider. */
const script = `
const { readFileSync } = require('node:fs')
const read = (name) => readFileSync('/issuer/' + name)
require('node:https')
  .createServer({ key: read('tls.key'), cert: read('tls.crt') }, ({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(read(url === '/jwks' ? 'jwks' : 'metadata'))
  })
  .listen(8443)`

/**
 * Builds an issuer of bearer tokens that runs in the cluster: sign-in as a sample person is for loopback only.
 * Returns its objects, its certificate and a token.
 */
export async function buildIssuer(namespace: string, image: string) {
  const issuer = issuerUrl(namespace)
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const { key, certificate } = createCertificate(new URL(issuer).hostname)
  const metadata = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
  const stringData = {
    'tls.key': key,
    'tls.crt': certificate,
    metadata: JSON.stringify(metadata),
    jwks: JSON.stringify({ keys: [jwk] }),
  }
  const volumes = [{ name: 'issuer', secret: { secretName: 'issuer' } }]
  const pod = nodePod(image, ['-e', script], [{ name: 'issuer', mountPath: '/issuer' }])
  const objects = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'issuer' }, stringData },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'issuer', labels: { app: 'issuer' } },
      spec: { ...restrictedPod, containers: [{ ...pod, name: 'issuer' }], volumes },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'issuer' },
      spec: { selector: { app: 'issuer' }, ports: [{ port: 443, targetPort: 8443 }] },
    },
  ]
  const token = await new SignJWT({ organization_id: 'firm-a', roles: ['testers'] })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('tester')
    .setIssuedAt()
    .setExpirationTime('12h')
    .sign(privateKey)
  return { objects, certificate, token }
}

function createCertificate(host: string) {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-issuer-'))
  const [keyFile, file] = [join(directory, 'key'), join(directory, 'crt')]
  try {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
        ...['-subj', '/CN=issuer', '-addext', `subjectAltName=DNS:${host}`, '-days', '2'],
        ...['-keyout', keyFile, '-out', file],
      ],
      { stdio: 'pipe' },
    )
    return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(file, 'utf8') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
