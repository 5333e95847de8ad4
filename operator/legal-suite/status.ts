import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import type { HistoryEntry } from '../api/status.ts'
import { enabledServices, imageReference, objectName } from '../desired/common.ts'
import {
  type Condition,
  type NewCondition,
  type ReadyState,
  truncate,
  withCondition,
  withHistory,
  withoutCondition,
  withReadyState,
} from '../runtime/conditions.ts'
import { type Drift, driftCondition, driftDetected } from './drift.ts'
import { healthOf, type Workload } from './health.ts'
import type { WorkloadLookup } from './rollout-plan.ts'
import { seedsStatus } from './seeds-status.ts'
import type { StartupRun } from './startup-seeds.ts'
import type { SuitePods } from './suite-pods.ts'

export interface StatusInputs {
  lookup: WorkloadLookup
  pods: SuitePods
  isReachable(service: string): boolean
  /** Undefined while the suite is paused. */
  readyState: ReadyState | undefined
  /** The internal key that services send. */
  key?: LegalSuiteStatus['internalKey'] | undefined
  /** Undefined if no object was applied. */
  drift?: Drift | undefined
  /** Changes that a paused suite defers. Undefined if they are unknown. */
  pending?: string[] | undefined
  /** The startup seeds that collector-service reports. */
  startupRun?: StartupRun | undefined
  now: Date
}

type Phase = NonNullable<LegalSuiteStatus['phase']>

/** Builds the status of a suite except its inventory. */
export function buildStatus(
  suite: LegalSuite,
  { readyState, key, drift, pending, startupRun, now, ...live }: StatusInputs,
): LegalSuiteStatus {
  const before = suite.status ?? {}
  const { lookup, pods } = live
  const services = enabledServices(suite).map((name) => serviceStatus(suite, name, live))
  const ready = services.filter((each) => each.ready).length
  const observed = { ...before, ready: `${ready}/${services.length}`, services }
  const context = { generation: suite.metadata.generation, now }
  const conditions = (before.conditions ?? []) as Condition[]
  if (!readyState) {
    const current = withServicesReady(suite, conditions, services, now)
    return {
      ...observed,
      phase: 'Paused',
      conditions: withCondition(current, pausedCondition(pending), context),
    }
  }
  const versions = new Set(services.map(({ version }) => version))
  const [version] = versions.size === 1 ? versions : []
  const withReady = withReadyState(withoutCondition(conditions, pausedType), readyState, context)
  const backends = backendsCondition(suite, lookup, pods)
  const lastDrift = conditions.find(({ type }) => type === driftDetected)
  const optional: [type: string, condition: NewCondition | undefined][] = [
    [backendsReady, backends],
    [degradedType, degradedCondition(services)],
    [driftDetected, drift ? driftCondition(drift, lastDrift) : lastDrift],
  ]
  return {
    ...observed,
    observedGeneration: suite.metadata.generation,
    phase: computePhase(suite, readyState),
    conditions: optional.reduce(
      (list, [type, condition]) => setOptional(list, type, condition, context),
      withReady,
    ),
    version: (readyState.state === 'ready' && version) || before.version,
    internalKey: key ?? before.internalKey,
    seeds: seedsStatus(suite, lookup, startupRun),
    history: nextHistory(suite, readyState, now),
  }
}

const pausedType = 'Paused'

const servicesNotReady = 'ServicesNotReady'

/** A paused suite that was Ready is not Ready while one of its services is down. */
function withServicesReady(
  { spec, metadata }: LegalSuite,
  conditions: Condition[],
  services: ServiceStatus[],
  now: Date,
): Condition[] {
  const before = conditions.find(({ type }) => type === 'Ready')
  const isConcerned = before?.status === 'True' || before?.reason === servicesNotReady
  if (!before || !isConcerned || spec.hibernated || before.reason === 'Hibernated')
    return conditions
  // Services that the spec added while paused have no version yet.
  const down = services.filter(({ ready, version }) => !ready && version).map(({ name }) => name)
  const generation = before.observedGeneration ?? metadata.generation
  const next: NewCondition = down.length
    ? {
        ...before,
        status: 'False',
        reason: servicesNotReady,
        message: `not ready: ${down.join(', ')}`,
      }
    : { ...before, status: 'True', reason: 'Ready', message: 'all services are ready' }
  return withCondition(conditions, next, { generation, now })
}

/** While paused, the other conditions keep their last value and generation. */
function pausedCondition(pending: string[] | undefined): NewCondition {
  const base = 'changes of the suite and of its objects are not applied until spec.paused is false'
  const list = pending?.length ? pending.join(', ') : 'none'
  const message = pending ? `${base}; pending: ${list}` : base
  return { type: pausedType, status: 'True', reason: 'Paused', message }
}

const backendsReady = 'BackendsReady'
const degradedType = 'Degraded'

/** Sets a condition that exists only while it is defined. */
const setOptional = (
  conditions: Condition[],
  type: string,
  condition: NewCondition | undefined,
  context: Parameters<typeof withCondition>[2],
) =>
  condition ? withCondition(conditions, condition, context) : withoutCondition(conditions, type)

type ServiceStatus = ReturnType<typeof serviceStatus>

/** Services that are ready although a pod is missing within the disruption budget. */
function degradedCondition(services: ServiceStatus[]): NewCondition | undefined {
  const degraded = services
    .filter(({ ready, available, desired }) => ready && available < desired)
    .map(({ name, available, desired }) => `${name}: ${available} of ${desired} pods available`)
  if (degraded.length === 0) return undefined
  const message = degraded.join(', ')
  return { type: degradedType, status: 'True', reason: 'PodsUnavailable', message }
}

function serviceStatus(
  suite: LegalSuite,
  name: string,
  { lookup, pods, isReachable }: Pick<StatusInputs, 'lookup' | 'pods' | 'isReachable'>,
) {
  const live = lookup('Deployment', objectName(suite, name))
  const { ready, desired, available, failure } = healthOf(live)
  const version = runningVersion(live)
  const problem = live && pods.findProblem(live)
  const message = problem ? `${problem.reason}: ${problem.message}` : failure
  return {
    name,
    ready: ready && desired > 0 && isReachable(objectName(suite, name)),
    desired,
    available,
    ...(version && { version }),
    ...(message && { message: truncate(message, 1024) }),
  }
}

type VersionedPods = { spec?: { template?: { metadata?: { labels?: Record<string, string> } } } }

/** The version label of the pod template. */
const runningVersion = (live: Workload | undefined) =>
  (live as VersionedPods | undefined)?.spec?.template?.metadata?.labels?.[
    'app.kubernetes.io/version'
  ]

function computePhase({ spec }: LegalSuite, { state, reason }: ReadyState): Phase {
  if (state === 'stalled') return 'Stalled'
  if (state === 'ready') return spec.hibernated ? 'Hibernated' : 'Ready'
  if (reason === 'Migrating') return 'Migrating'
  return reason === 'RollingOut' ? 'RollingOut' : 'Pending'
}

const managedBackends = ({ spec: { database, search, graph } }: LegalSuite) => [
  ...(database.type === 'Embedded' ? ['postgres'] : []),
  ...(search?.type === 'Managed' ? ['qdrant'] : []),
  ...(graph?.type === 'Managed' ? ['neo4j'] : []),
]

/** Health of the managed backends. Without search or graph the suite keeps working with less quality. */
function backendsCondition(
  suite: LegalSuite,
  lookup: WorkloadLookup,
  pods: SuitePods,
): NewCondition | undefined {
  const managed = managedBackends(suite)
  if (managed.length === 0 || suite.spec.hibernated) return undefined
  const notReady = managed
    .map((what) => ({ what, live: lookup('StatefulSet', objectName(suite, what)) }))
    .map(({ what, live }) => ({ what, live, ...healthOf(live) }))
    .filter(({ ready }) => !ready)
    .map(({ what, live, available, desired }) => {
      const problem = live && pods.findProblem(live)
      const detail = problem ? `: ${problem.reason}: ${problem.message}` : ''
      return `${what} ${available}/${desired}${detail}`
    })
  const type = backendsReady
  return notReady.length === 0
    ? { type, status: 'True', reason: 'Ready', message: `ready: ${managed.join(', ')}` }
    : { type, status: 'False', reason: 'NotReady', message: `waiting for ${notReady.join(', ')}` }
}

/** Records the final state of each generation: ready or stalled. */
function nextHistory(suite: LegalSuite, { state, reason, message }: ReadyState, now: Date) {
  const history = suite.status?.history ?? []
  if (state === 'reconciling') return history
  const entry: HistoryEntry = {
    time: now.toISOString().replace(/\.\d+/, ''),
    generation: suite.metadata.generation,
    version: suite.spec.version,
    reason,
    message: truncate(`${imageReference(suite)}: ${message}`, 512),
  }
  return withHistory(history, entry, 10)
}
