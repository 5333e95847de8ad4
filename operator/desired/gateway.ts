import type { KubeObject } from '../runtime/objects.ts'
import { port } from './commands.ts'
import { buildObject, objectName, type SuiteInput } from './common.ts'
import { type PodPart, secretVariable, variables } from './pod.ts'

export const routeApi = 'gateway.networking.k8s.io/v1'

/** The Secret with the key that encrypts tokens of the provider at rest. */
export const encryptionKeySecretName = (suite: SuiteInput) =>
  objectName(suite, 'gateway-encryption')

/** Public URL, OpenID Connect settings and proxies of the gateway. */
export function gatewayPart(suite: SuiteInput): PodPart {
  const { gateway } = suite.spec
  if (!gateway) return {}
  const { host, tls, ingress, httpRoute, oidc } = gateway
  const encryptionKey = { name: encryptionKeySecretName(suite), key: 'key' }
  return {
    env: [
      ...variables({
        PUBLIC_URL: `${tls || httpRoute ? 'https' : 'http'}://${host}`,
        OIDC_ISSUER: oidc?.issuer,
        OIDC_AUDIENCE: oidc?.audience,
        OIDC_CLIENT_ID: oidc?.clientId,
        // The Ingress controller or Gateway in front of the suite.
        GATEWAY_TRUSTED_PROXIES: ingress || httpRoute ? 1 : undefined,
      }),
      ...secretVariable('OIDC_CLIENT_SECRET', oidc?.clientSecretRef),
      ...secretVariable('GATEWAY_ENCRYPTION_KEY', oidc && encryptionKey),
    ],
  }
}

/** The Ingress or the HTTPRoute. */
export function gatewayObjects(suite: SuiteInput): KubeObject[] {
  const { gateway } = suite.spec
  if (gateway?.ingress) return [ingress(suite)]
  return gateway?.httpRoute ? [httpRoute(suite)] : []
}

function ingress(suite: SuiteInput): KubeObject {
  const { host, tls, ingress = {} } = suite.spec.gateway!
  const { className, annotations } = ingress
  const service = { name: objectName(suite, 'gateway'), port: { name: 'http' } }
  const spec = {
    ...(className && { ingressClassName: className }),
    rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service } }] } }],
    ...(tls && { tls: [{ hosts: [host], secretName: tls.secretName }] }),
  }
  return buildObject(
    suite,
    'gateway',
    ['networking.k8s.io/v1', 'Ingress'],
    { spec },
    {
      ...(annotations && { annotations }),
    },
  )
}

function httpRoute(suite: SuiteInput): KubeObject {
  const { host, httpRoute } = suite.spec.gateway!
  const { name, namespace, sectionName } = httpRoute!.parentRef
  const parent = { name, ...(namespace && { namespace }), ...(sectionName && { sectionName }) }
  return buildObject(suite, 'gateway', [routeApi, 'HTTPRoute'], {
    spec: {
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...parent }],
      hostnames: [host],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [
            { group: '', kind: 'Service', name: objectName(suite, 'gateway'), port, weight: 1 },
          ],
        },
      ],
    },
  })
}
