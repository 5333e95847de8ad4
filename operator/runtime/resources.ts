import type { KubeObject, Resource } from './objects.ts'

const resourceNames: [apiVersion: string, ...names: [kind: string, plural: string][]][] = [
  [
    'v1',
    ['ConfigMap', 'configmaps'],
    ['PersistentVolumeClaim', 'persistentvolumeclaims'],
    ['Pod', 'pods'],
    ['Secret', 'secrets'],
    ['Service', 'services'],
    ['ServiceAccount', 'serviceaccounts'],
  ],
  ['apps/v1', ['Deployment', 'deployments'], ['StatefulSet', 'statefulsets']],
  ['autoscaling/v2', ['HorizontalPodAutoscaler', 'horizontalpodautoscalers']],
  ['batch/v1', ['CronJob', 'cronjobs'], ['Job', 'jobs']],
  ['coordination.k8s.io/v1', ['Lease', 'leases']],
  ['discovery.k8s.io/v1', ['EndpointSlice', 'endpointslices']],
  ['events.k8s.io/v1', ['Event', 'events']],
  ['gateway.networking.k8s.io/v1', ['Gateway', 'gateways'], ['HTTPRoute', 'httproutes']],
  [
    'legalsuite.dev/v1alpha1',
    ['LegalSuite', 'legalsuites'],
    ['SeedPackageApply', 'seedpackageapplies'],
  ],
  [
    'monitoring.coreos.com/v1',
    ['PrometheusRule', 'prometheusrules'],
    ['ServiceMonitor', 'servicemonitors'],
  ],
  ['networking.k8s.io/v1', ['Ingress', 'ingresses'], ['NetworkPolicy', 'networkpolicies']],
  ['policy/v1', ['PodDisruptionBudget', 'poddisruptionbudgets']],
  ['postgresql.cnpg.io/v1', ['Cluster', 'clusters']],
  ['rbac.authorization.k8s.io/v1', ['Role', 'roles'], ['RoleBinding', 'rolebindings']],
]

const resourcesByKind = new Map<string, Resource>()
for (const [apiVersion, ...names] of resourceNames) {
  const [version, group = ''] = apiVersion.split('/').reverse()
  for (const [kind, plural] of names) {
    resourcesByKind.set(`${apiVersion}/${kind}`, {
      group,
      version: version!,
      kind,
      plural,
      namespaced: true,
    })
  }
}

/**
 * Returns the resource of a kind. Resources are listed here instead of discovered, because the role of the
 * operator names each of them.
 */
export function getResource(apiVersion: string, kind: string): Resource {
  const resource = resourcesByKind.get(`${apiVersion}/${kind}`)
  if (!resource) throw new Error(`${apiVersion} ${kind} is not a known resource`)
  return resource
}

type Kind = { group: string; kind: string }

const findByKind = (id: Kind) =>
  [...resourcesByKind.values()].find(({ group, kind }) => group === id.group && kind === id.kind)

export const isKnownKind = (id: Kind) => findByKind(id) !== undefined

/** Returns the resource of a stored reference, in the version that this operator uses. */
export function getResourceById(id: Kind): Resource {
  const resource = findByKind(id)
  if (!resource) throw new Error(`${id.group} ${id.kind} is not a known resource`)
  return resource
}

export const getObjectResource = ({ apiVersion, kind }: KubeObject) => getResource(apiVersion, kind)
