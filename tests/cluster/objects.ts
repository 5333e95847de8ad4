import type { LegalSuite, LegalSuiteSpec } from '../../operator/api/legal-suite.ts'
import type { Client } from '../../operator/runtime/client.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { minimalSpec } from '../../operator/testing/suites.ts'
import { eventually } from './support.ts'

export const secretIn = (
  client: Client,
  namespace: string,
  name: string,
  values: Record<string, string>,
) =>
  client.create(getResource('v1', 'Secret'), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData: values,
  })

const kinds: Record<string, string> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  Job: 'batch/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  LegalSuite: 'legalsuite.dev/v1alpha1',
  SeedPackageApply: 'legalsuite.dev/v1alpha1',
  Event: 'events.k8s.io/v1',
  Cluster: 'postgresql.cnpg.io/v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
  ServiceMonitor: 'monitoring.coreos.com/v1',
}

/** Helpers for the objects of one namespace. */
export function objectsIn(client: Client, namespace: string) {
  const resource = (kind: string) => getResource(kinds[kind] ?? 'v1', kind)
  const get = (kind: string, name: string): Promise<any> =>
    client.get(resource(kind), { namespace, name })
  const create = (object: Partial<KubeObject>): Promise<any> =>
    client.create(resource(object.kind!), {
      ...object,
      metadata: { namespace, ...object.metadata },
    } as KubeObject)
  return {
    get,
    create,
    list: (kind: string): Promise<any[]> => client.list(resource(kind), { namespace }),
    patch: (kind: string, name: string, change: object, subresource?: 'status') =>
      client.merge(resource(kind), { namespace, name }, change, subresource ? { subresource } : {}),
    remove: (kind: string, name: string) => client.delete(resource(kind), { namespace, name }),
    suite: (spec: Partial<LegalSuiteSpec> = {}, name = 'demo'): Promise<any> =>
      create({
        apiVersion: kinds.LegalSuite!,
        kind: 'LegalSuite',
        metadata: { name },
        spec: { ...minimalSpec, ...spec },
      }),
    /** Waits until the current generation of the suite is Ready. */
    settled: (name = 'demo', within = 240_000) =>
      eventually(async () => {
        const suite: LegalSuite = await get('LegalSuite', name)
        const ready = suite.status?.conditions?.find(({ type }) => type === 'Ready')
        const { generation } = suite.metadata
        if (suite.status?.observedGeneration !== generation || ready?.status !== 'True')
          throw new Error(`not ready: ${ready?.reason} ${ready?.message}`)
        return suite
      }, within),
  }
}
