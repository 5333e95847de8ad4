import type { LegalSuite } from '../api/legal-suite.ts'
import { manager as managedBy, suiteLabel } from '../desired/common.ts'
import type { Informer } from '../runtime/informer.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import type { Manager } from '../runtime/manager.ts'
import { type KubeObject, keyOf } from '../runtime/objects.ts'
import { resourceOf } from '../runtime/resources.ts'
import { makeStatusWriter } from '../runtime/status.ts'
import { makeApis } from './apis.ts'
import { makeRecall } from './recall.ts'
import { reconcile } from './reconcile.ts'
import { isAsked, matters } from './relevant.ts'
import { makeWanted } from './wanted.ts'

/** Those whose state matters are known whole; of the others, that they are as they were applied. */
const watched: [apiVersion: string, kind: string, whole?: boolean][] = [
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

export interface SuiteOptions {
  operatorNamespace: string
  lookAgain?: number
  concurrency?: number
}

/** Brings suites to what they say, and keeps them there. */
export function watchSuites(manager: Manager, options: SuiteOptions): Informer<LegalSuite> {
  const suites = manager.informer<LegalSuite>(resourceOf('legalsuite.dev/v1alpha1', 'LegalSuite'))
  const labelSelector = `app.kubernetes.io/managed-by=${managedBy}`
  const children = watched.map(([apiVersion, kind, whole]) =>
    manager.informer(resourceOf(apiVersion, kind), { labelSelector, metadataOnly: !whole }),
  )
  const informerOf = (kind: string) => children.find(({ resource }) => resource.kind === kind)
  const lookAgain = options.lookAgain ?? 60_000
  const around = {
    find: suites.get,
    live: ({ kind, namespace, name }: ObjectId) => informerOf(kind)?.get(`${namespace}/${name}`),
    watches: (kind: string) => informerOf(kind) !== undefined,
    observe(object: KubeObject) {
      if (object.kind === 'LegalSuite') suites.observe(object as LegalSuite)
      else informerOf(object.kind)?.observe(object)
    },
    recorder: manager.recorder,
    apis: makeApis(),
    // By the time of the next look it is old.
    recall: makeRecall(lookAgain * 0.8),
    wanted: makeWanted(),
    writeStatus: makeStatusWriter(),
    operatorNamespace: options.operatorNamespace,
    lookAgain,
  }
  const owner = ({ metadata }: KubeObject) => {
    const suite = metadata.labels?.[suiteLabel]
    return suite ? [keyOf({ metadata: { namespace: metadata.namespace, name: suite } })] : []
  }
  manager.controller({
    name: 'legal-suite',
    concurrency: options.concurrency ?? 4,
    watches: [
      { informer: suites, when: isAsked },
      // A change of a suite is a change of many objects, each of which comes with several others.
      ...children.map((informer) => ({ informer, keys: owner, when: matters, gather: 50 })),
    ],
    reconcile: (key, context) => reconcile(key, context, around),
  })
  return suites
}
