import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { LegalSuite, LegalSuiteSpec } from '../api/legal-suite.ts'
import type { SeedPackageApplySpec } from '../api/seed-package-apply.ts'
import { makeOperator } from '../operator.ts'
import { makeClient } from '../runtime/client.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getResource } from '../runtime/resources.ts'
import { type FakeApi, makeFakeApi } from '../runtime/testing/fake-api.ts'
import type { Transport } from '../runtime/transport.ts'
import { buildSuite } from './suites.ts'

const namespace = 'legal'
const kinds: Record<string, string> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  EndpointSlice: 'discovery.k8s.io/v1',
  Job: 'batch/v1',
  LegalSuite: 'legalsuite.dev/v1alpha1',
  SeedPackageApply: 'legalsuite.dev/v1alpha1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
  Cluster: 'postgresql.cnpg.io/v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
}

export interface HarnessOptions {
  /** An API server that exists already, for a second operator. Default: a new one. */
  api?: FakeApi
  /** Optional APIs: plural names by group. */
  served?: Record<string, string[]>
  collectorAddress?: string
  discoveryMaxAgeMs?: number
  /** Wraps the transport of the operator, but not the one of the test. */
  wrapTransport?: (api: FakeApi) => Transport
  /** Elects a leader with a Lease. Default: no election. */
  elects?: boolean
}

/** The operator on an in-memory API server. No pods run; `markWorkloadsReady` sets their status. */
export function makeHarness({
  served = {},
  api = makeFakeApi(served),
  collectorAddress = 'http://127.0.0.1:1',
  discoveryMaxAgeMs,
  wrapTransport = ({ transport }) => transport,
  elects = false,
}: HarnessOptions = {}) {
  const client = makeClient({ transport: api.transport })
  const stop = new AbortController()
  const operator = makeOperator({
    client: makeClient({ transport: wrapTransport(api) }),
    log: silent,
    metrics: makeMetrics(),
    namespaces: [namespace],
    operatorNamespace: 'operators',
    collectorAddress,
    resyncPeriodMs: 60_000,
    discoveryMaxAgeMs,
    ...(elects && { lease: { namespace, name: 'operator', identity: 'one' } }),
  })
  const running = operator.run(stop.signal)
  const resource = (kind: string) => getResource(kinds[kind] ?? 'v1', kind)
  const list = (kind: string): any[] => {
    const { group, plural } = resource(kind)
    return api.store.list(`${group}/${plural}`, namespace)
  }
  const get = (kind: string, name: string): any =>
    list(kind).find(({ metadata }) => metadata.name === name)
  const create = (object: KubeObject): Promise<any> => client.create(resource(object.kind), object)
  const patch = (kind: string, name: string, change: object, subresource?: 'status') =>
    client.merge(resource(kind), { namespace, name }, change, subresource ? { subresource } : {})

  async function markWorkloadsReady(only?: RegExp) {
    for (const kind of ['Deployment', 'StatefulSet', 'Job']) {
      for (const each of list(kind)) {
        if (only && !only.test(each.metadata.name)) continue
        const status = readyStatus(each)
        if (JSON.stringify(each.status) !== JSON.stringify(status))
          await patch(kind, each.metadata.name, { status }, 'status')
        if (kind === 'Deployment') await publishEndpoints(each)
      }
    }
  }

  /** Creates or updates the EndpointSlice of a Service, like the controller of Kubernetes. */
  async function publishEndpoints({ metadata, spec }: any) {
    const { name, labels } = metadata
    const endpoints = spec.replicas === 0 ? [] : [{ addresses: ['10.0.0.1'] }]
    const live = get('EndpointSlice', name)
    const wanted = buildEndpointSlice(name, labels, endpoints)
    const hasChanged =
      live?.endpoints.length !== endpoints.length ||
      Object.entries(wanted.metadata.labels!).some(
        ([key, value]) => live.metadata.labels[key] !== value,
      )
    if (!live) await create(wanted)
    else if (hasChanged)
      await patch('EndpointSlice', name, {
        metadata: { labels: wanted.metadata.labels },
        endpoints,
      })
  }

  return {
    api,
    client,
    list,
    get,
    create,
    patch,
    settle: markWorkloadsReady,
    remove: (kind: string, name: string) => client.delete(resource(kind), { namespace, name }),
    secret: (name: string, data: Record<string, string>) =>
      create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)])),
      } as KubeObject),
    suite: (spec: Partial<LegalSuiteSpec> = {}, name = 'demo') => {
      const { uid: _, generation: __, ...metadata } = buildSuite().metadata
      const { spec: fullSpec, apiVersion, kind } = buildSuite(spec)
      return create({
        apiVersion,
        kind,
        metadata: { ...metadata, name },
        spec: fullSpec,
      } as KubeObject)
    },
    seed: (spec: Partial<SeedPackageApplySpec> = {}, name = 'seeds') =>
      create({
        apiVersion: 'legalsuite.dev/v1alpha1',
        kind: 'SeedPackageApply',
        metadata: { name, namespace },
        spec: { suiteRef: { name: 'demo' }, packageIds: ['one'], ...spec },
      } as KubeObject),
    ready: (name = 'demo') => condition(get('LegalSuite', name), 'Ready'),
    events: () => client.list<any>(getResource('events.k8s.io/v1', 'Event'), { namespace }),
    async stop() {
      stop.abort()
      await running
    },
  }
}

export type Harness = ReturnType<typeof makeHarness>

export const condition = (object: LegalSuite | undefined, type: string) =>
  object?.status?.conditions?.find((each) => each.type === type)

const buildEndpointSlice = (name: string, labels: Record<string, string>, endpoints: object[]) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { ...labels, 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints,
  }) as KubeObject

/** The status that a workload has when all its pods are ready. */
function readyStatus({ kind, metadata, spec }: any) {
  if (kind === 'Job') return { conditions: [{ type: 'Complete', status: 'True' }] }
  const replicas = spec.replicas ?? 1
  return {
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  }
}
