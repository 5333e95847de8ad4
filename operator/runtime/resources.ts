import type { KubeObject, Resource } from './objects.ts'

const kinds: [apiVersion: string, ...names: [kind: string, plural: string][]][] = [
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

const known = new Map<string, Resource>()
for (const [apiVersion, ...names] of kinds) {
  const [version, group = ''] = apiVersion.split('/').reverse()
  for (const [kind, plural] of names) {
    known.set(`${apiVersion}/${kind}`, { group, version: version!, kind, plural, namespaced: true })
  }
}

/**
 * The resource of a kind that the operator deals with. They are listed here, not discovered: the
 * operator's role names each of them, so a kind that is missing here is one it may not touch.
 */
export function resourceOf(apiVersion: string, kind: string): Resource {
  const resource = known.get(`${apiVersion}/${kind}`)
  if (!resource) throw new Error(`${apiVersion} ${kind} is not a resource of this operator`)
  return resource
}

export const resourceOfObject = ({ apiVersion, kind }: KubeObject) => resourceOf(apiVersion, kind)
