import type { LegalSuite } from '../api/legal-suite.ts'
import { manager as managedBy, suiteLabel } from '../desired/common.ts'
import type { Informer } from '../runtime/informer.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import type { Manager } from '../runtime/manager.ts'
import { type KubeObject, objectKey } from '../runtime/objects.ts'
import { getResource } from '../runtime/resources.ts'
import { makeStatusWriter } from '../runtime/status.ts'
import { makeApiDiscovery } from './apis.ts'
import { makeDesiredCache } from './desired-cache.ts'
import { makeDriftRemover } from './drift.ts'
import { type EndpointSlice, endpointsChanged, trimEndpointSlice } from './endpoints.ts'
import type { Workload } from './health.ts'
import { type Pod, trimPod } from './pod.ts'
import { childStateChanged, podStateChanged, suiteSpecChanged } from './predicates.ts'
import { makeReadCache } from './read-cache.ts'
import { reconcile } from './reconcile.ts'
import { makeSecretReader } from './secrets.ts'
import { makeStartupSeedReader } from './startup-seeds.ts'

/**
 * Watched child kinds. Workloads are cached completely, because their status matters; of the others only
 * metadata is cached.
 */
const childKinds: [apiVersion: string, kind: string, fullObject?: boolean][] = [
  ['apps/v1', 'Deployment', true],
  ['apps/v1', 'StatefulSet', true],
  ['batch/v1', 'Job', true],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['v1', 'ServiceAccount'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['networking.k8s.io/v1', 'Ingress'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['policy/v1', 'PodDisruptionBudget'],
]

export interface LegalSuiteControllerOptions {
  operatorNamespace: string
  collectorAddress: string
  resyncPeriodMs?: number | undefined
  discoveryMaxAgeMs?: number | undefined
  concurrency?: number
}

/** The key of the suite that an object belongs to. */
const owner = ({ metadata }: KubeObject) => {
  const suite = metadata.labels?.[suiteLabel]
  return suite ? [objectKey({ metadata: { namespace: metadata.namespace, name: suite } })] : []
}

/** Registers the controller that reconciles LegalSuites. */
export function registerLegalSuiteController(
  manager: Manager,
  options: LegalSuiteControllerOptions,
): Informer<LegalSuite> {
  const suites = manager.informer<LegalSuite>(getResource('legalsuite.dev/v1alpha1', 'LegalSuite'))
  const labelSelector = `app.kubernetes.io/managed-by=${managedBy}`
  const children = childKinds.map(([apiVersion, kind, fullObject]) =>
    manager.informer(getResource(apiVersion, kind), {
      labelSelector,
      metadataOnly: !fullObject,
      indexes: { suite: owner },
    }),
  )
  const pods = manager.informer<Pod>(getResource('v1', 'Pod'), {
    labelSelector,
    trim: trimPod,
    indexes: { suite: owner },
  })
  const endpointSlices = manager.informer<EndpointSlice>(
    getResource('discovery.k8s.io/v1', 'EndpointSlice'),
    { labelSelector, trim: trimEndpointSlice, indexes: { suite: owner } },
  )
  const workloads = children.filter((_, index) => childKinds[index]![2])
  const findInformer = (kind: string) => children.find(({ resource }) => resource.kind === kind)
  const resyncPeriodMs = options.resyncPeriodMs ?? 60_000
  const deps = {
    getSuite: suites.get,
    getLive: ({ kind, namespace, name }: ObjectId) =>
      findInformer(kind)?.get(`${namespace}/${name}`),
    listWorkloads: (suite: LegalSuite) =>
      workloads.flatMap((informer) => informer.by('suite', objectKey(suite)) as Workload[]),
    listPods: (suite: LegalSuite) => pods.by('suite', objectKey(suite)),
    listEndpointSlices: (suite: LegalSuite) => endpointSlices.by('suite', objectKey(suite)),
    isWatched: (kind: string) => findInformer(kind) !== undefined,
    observe(object: KubeObject) {
      if (object.kind === 'LegalSuite') suites.observe(object as LegalSuite)
      else findInformer(object.kind)?.observe(object)
    },
    recorder: manager.recorder,
    discoverApis: makeApiDiscovery(options.discoveryMaxAgeMs),
    // Expires before the next resync.
    readCache: makeReadCache(resyncPeriodMs * 0.8),
    readSecrets: makeSecretReader(),
    desiredObjects: makeDesiredCache(),
    removeDrift: makeDriftRemover(),
    writeStatus: makeStatusWriter(),
    startupSeeds: makeStartupSeedReader({ address: options.collectorAddress }),
    operatorNamespace: options.operatorNamespace,
    resyncPeriodMs,
  }
  manager.controller({
    name: 'legal-suite',
    concurrency: options.concurrency ?? 4,
    watches: [
      { informer: suites, predicate: suiteSpecChanged },
      // A reconcile writes many objects at once, each of which triggers several events.
      ...children.map((informer) => ({
        informer,
        mapToKeys: owner,
        predicate: childStateChanged,
        coalesceMs: 50,
      })),
      { informer: pods, mapToKeys: owner, predicate: podStateChanged, coalesceMs: 50 },
      {
        informer: endpointSlices,
        mapToKeys: owner,
        predicate: endpointsChanged,
        coalesceMs: 50,
      },
    ],
    reconcile: (key, context) => reconcile(key, context, deps),
  })
  return suites
}
