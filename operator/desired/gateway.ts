import type { KubeObject } from '../runtime/objects.ts'
import { type Facts, nameOf, object, type Wanted } from './common.ts'
import { type Part, secretVariable, variables } from './pod.ts'
import { port } from './runtime.ts'

export const routeApi = 'gateway.networking.k8s.io/v1'

/** By what name people reach the gateway, and who vouches for them. */
export function gatewayPart({ spec: { gateway } }: Wanted): Part {
  if (!gateway) return {}
  const { host, tls, httpRoute, oidc } = gateway
  return {
    env: [
      ...variables({
        PUBLIC_URL: `${tls || httpRoute ? 'https' : 'http'}://${host}`,
        OIDC_ISSUER: oidc?.issuer,
        OIDC_AUDIENCE: oidc?.audience,
        OIDC_CLIENT_ID: oidc?.clientId,
      }),
      ...secretVariable('OIDC_CLIENT_SECRET', oidc?.clientSecretRef),
    ],
  }
}

/** The way in: an Ingress, or a route of the Gateway API where the cluster has that. */
export function gateway(suite: Wanted, facts: Facts): KubeObject[] {
  const { gateway } = suite.spec
  if (gateway?.ingress) return [ingress(suite)]
  return gateway?.httpRoute && facts.apis.has(routeApi) ? [httpRoute(suite)] : []
}

function ingress(suite: Wanted): KubeObject {
  const { host, tls, ingress = {} } = suite.spec.gateway!
  const { className, annotations } = ingress
  const service = { name: nameOf(suite, 'gateway'), port: { name: 'http' } }
  const spec = {
    ...(className && { ingressClassName: className }),
    rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service } }] } }],
    ...(tls && { tls: [{ hosts: [host], secretName: tls.secretName }] }),
  }
  return object(
    suite,
    'gateway',
    ['networking.k8s.io/v1', 'Ingress'],
    { spec },
    {
      ...(annotations && { annotations }),
    },
  )
}

function httpRoute(suite: Wanted): KubeObject {
  const { host, httpRoute } = suite.spec.gateway!
  const { name, namespace, sectionName } = httpRoute!.parentRef
  const parent = { name, ...(namespace && { namespace }), ...(sectionName && { sectionName }) }
  return object(suite, 'gateway', [routeApi, 'HTTPRoute'], {
    spec: {
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...parent }],
      hostnames: [host],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [
            { group: '', kind: 'Service', name: nameOf(suite, 'gateway'), port, weight: 1 },
          ],
        },
      ],
    },
  })
}
