import { dataLabel, objectName, type SuiteInput } from '../desired/common.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { healthOf, jobOutcome, type Workload } from './health.ts'
import { dependsOn, getPodSpec } from './references.ts'

/** Objects of the inventory that are no longer desired. */
export interface ObsoleteObjects {
  /** No pod uses them and they hold no data. */
  prunable: ObjectId[]
  /** They hold data. An edit of the spec never deletes them. */
  retained: ObjectId[]
  /** Pods still use them, or pods that used them may still run. */
  inUse: ObjectId[]
}

export interface ObsoleteInputs {
  suite: SuiteInput
  getLive(id: ObjectId): KubeObject | undefined
  /** All live Deployments, StatefulSets and Jobs of the suite. */
  workloads: Workload[]
  /** Returns whether a container of a Job has run. */
  hasStarted(job: KubeObject): boolean
  /** Whether all desired pods run and no pod of an older template is left. */
  rolledOut: boolean
  isServed(id: ObjectId): boolean
}

/** Kinds that no pod depends on. They are removed first. */
const entryKinds = ['Ingress', 'HTTPRoute', 'ServiceMonitor']

/**
 * Decides for each obsolete object whether it can be deleted now. Deletion is the reverse of the rollout:
 * entry points, then workloads that no pod uses, then the objects that their pods needed.
 */
export function classifyObsolete(obsolete: ObjectId[], inputs: ObsoleteInputs): ObsoleteObjects {
  const result: ObsoleteObjects = { prunable: [], retained: [], inUse: [] }
  for (const id of obsolete) {
    // An object that cannot be read stays in the inventory.
    if (!inputs.isServed(id)) result.inUse.push(id)
    else if (holdsData(id, inputs.getLive(id))) result.retained.push(id)
    else if (isPrunable(id, inputs)) result.prunable.push(id)
    else result.inUse.push(id)
  }
  return result
}

/** Volumes, StatefulSets that create volumes, database clusters, and the passwords of volumes. */
export function holdsData({ kind }: ObjectId, live: KubeObject | undefined): boolean {
  if (kind === 'PersistentVolumeClaim' || kind === 'Cluster') return true
  if (kind === 'StatefulSet') return hasClaimTemplates(live)
  return live?.metadata.labels?.[dataLabel] === 'true'
}

const hasClaimTemplates = (live: KubeObject | undefined) =>
  ((live as { spec?: { volumeClaimTemplates?: unknown[] } })?.spec?.volumeClaimTemplates?.length ??
    0) > 0

function isPrunable(id: ObjectId, inputs: ObsoleteInputs): boolean {
  const { suite, getLive, rolledOut } = inputs
  // An autoscaler that is no longer desired would fight with the replica count of the spec.
  if (id.kind === 'HorizontalPodAutoscaler') return true
  if (id.kind === 'Job') return isPrunableJob(getLive(id) as Workload | undefined, inputs)
  if (!rolledOut) return false
  if (entryKinds.includes(id.kind)) return true
  if (id.kind === 'NetworkPolicy' && suite.spec.networkPolicy?.enabled === false) return true
  const app = getLive(id)?.metadata.labels?.['app.kubernetes.io/name']
  if (app === undefined) return true
  if (isUsed(objectName(suite, app), app, inputs) || isUsed(id.name, app, inputs)) return false
  const isWorkload = id.kind === 'Deployment' || id.kind === 'StatefulSet'
  return isWorkload || !hasPods(app, inputs)
}

/**
 * A migration that has not started must not start later, when another version runs, and failed ones would
 * accumulate while no version can be rolled out. The completed one of a version that runs stays until then, so
 * that a revert does not migrate again.
 */
function isPrunableJob(job: Workload | undefined, inputs: ObsoleteInputs): boolean {
  if (!job || jobOutcome(job) === 'failed') return true
  if (jobOutcome(job) === undefined) return !isRunning(job) || !inputs.hasStarted(job)
  const isInUse = inputs.workloads.some(
    (each) => each.kind === 'Deployment' && imageOf(each) === imageOf(job),
  )
  return inputs.rolledOut || !isInUse
}

const imageOf = (workload: Workload) => getPodSpec(workload).containers?.[0]?.image

const isRunning = (job: Workload | undefined) =>
  job !== undefined && jobOutcome(job) === undefined && (job.status?.active ?? 0) > 0

const appLabel = ({ metadata }: KubeObject) => metadata.labels?.['app.kubernetes.io/name']

/** Returns whether the pods of another app depend on the object. */
const isUsed = (name: string, app: string, { workloads }: ObsoleteInputs) =>
  workloads.some((each) => appLabel(each) !== app && !isFinished(each) && dependsOn(each, name))

const isFinished = (workload: Workload) =>
  workload.kind === 'Job' ? !isRunning(workload) : !mayHavePods(workload)

const hasPods = (app: string, { workloads }: ObsoleteInputs) =>
  workloads.some((each) => appLabel(each) === app && !isFinished(each))

const mayHavePods = ({ spec, status }: Workload) =>
  (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0

/** Returns whether no pod of an older template is left, and none that is to be removed. */
export const isRolledOut = (workload: Workload) =>
  workload.kind === 'Job' || healthOf(workload).updated
