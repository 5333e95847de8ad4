import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import type { Client } from '../runtime/client.ts'
import type { Recorder } from '../runtime/events.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { makeStatusWriter } from '../runtime/status.ts'
import type { makeApiDiscovery } from './apis.ts'
import type { makeDesiredCache } from './desired-cache.ts'
import type { makeDriftRemover } from './drift.ts'
import type { EndpointSlice } from './endpoints.ts'
import type { Workload } from './health.ts'
import type { Pod } from './pod.ts'
import type { makeReadCache } from './read-cache.ts'
import type { WorkloadLookup } from './rollout-plan.ts'
import type { makeSecretReader } from './secrets.ts'
import type { makeStartupSeedReader } from './startup-seeds.ts'
import type { SuitePods } from './suite-pods.ts'

export interface ReconcilerDeps {
  getSuite(key: string): LegalSuite | undefined
  /** Returns an object from the informers. */
  getLive(id: ObjectId): KubeObject | undefined
  /** Returns all live Deployments, StatefulSets and Jobs of a suite. */
  listWorkloads(suite: LegalSuite): Workload[]
  listPods(suite: LegalSuite): Pod[]
  listEndpointSlices(suite: LegalSuite): EndpointSlice[]
  /** Returns whether `getLive` sees every change of this kind. */
  isWatched(kind: string): boolean
  observe(object: KubeObject): void
  recorder: Recorder
  discoverApis: ReturnType<typeof makeApiDiscovery>
  readCache: ReturnType<typeof makeReadCache>
  readSecrets: ReturnType<typeof makeSecretReader>
  desiredObjects: ReturnType<typeof makeDesiredCache>
  removeDrift: ReturnType<typeof makeDriftRemover>
  writeStatus: ReturnType<typeof makeStatusWriter>
  startupSeeds: ReturnType<typeof makeStartupSeedReader>
  operatorNamespace: string
  /** Interval after which Secrets and objects of optional APIs are read again. */
  resyncPeriodMs: number
}

/** Inputs of one reconcile of a suite. */
export type ReconcileContext = ReconcilerDeps & {
  client: Client
  suite: LegalSuite
  lookup: WorkloadLookup
  pods: SuitePods
  /** Returns whether a Service has a ready endpoint. */
  isReachable(service: string): boolean
}

export async function patchStatus(
  { client, suite, writeStatus, observe }: ReconcileContext,
  status: LegalSuiteStatus,
) {
  const written = await writeStatus(client, suite, status)
  observe(written)
  return written
}

export function recordEvent(
  { recorder, suite }: ReconcileContext,
  reason: string,
  action: string,
  text: string,
  isWarning = false,
) {
  recorder.record(suite, { type: isWarning ? 'Warning' : 'Normal', reason, action, note: text })
}
