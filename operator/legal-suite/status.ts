import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import type { HistoryEntry } from '../api/status.ts'
import { imageOf, nameOf, servicesOf } from '../desired/common.ts'
import { keySecretOf } from '../desired/key.ts'
import {
  type Condition,
  clipped,
  type NewCondition,
  type Standing,
  withCondition,
  withHistory,
  withoutCondition,
  withStanding,
} from '../runtime/conditions.ts'
import { healthOf, type Workload } from './health.ts'
import type { Look } from './rollout.ts'

export interface Seen {
  look: Look
  /** Nothing is known of it while the suite is paused. */
  standing: Standing | undefined
  keyId?: string | undefined
  now: Date
}

type Phase = NonNullable<LegalSuiteStatus['phase']>

/** All that a suite's status says, but for its inventory. */
export function statusOf(
  suite: LegalSuite,
  { look, standing, keyId, now }: Seen,
): LegalSuiteStatus {
  const before = suite.status ?? {}
  const services = servicesOf(suite).map((name) => serviceOf(suite, name, look))
  const ready = services.filter((each) => each.ready).length
  const seen = { ...before, ready: `${ready}/${services.length}`, services }
  const at = { generation: suite.metadata.generation, now }
  const conditions = (before.conditions ?? []) as Condition[]
  if (!standing) {
    return { ...seen, phase: 'Paused', conditions: withCondition(conditions, isPaused, at) }
  }
  const versions = new Set(services.map(({ version }) => version))
  const [version] = versions.size === 1 ? versions : []
  const standings = withStanding(withoutCondition(conditions, isPaused.type), standing, at)
  const backends = backendsCondition(suite, look)
  return {
    ...seen,
    observedGeneration: suite.metadata.generation,
    phase: phaseOf(suite, standing),
    conditions: backends
      ? withCondition(standings, backends, at)
      : withoutCondition(standings, backendsReady),
    version: (standing.state === 'ready' && version) || before.version,
    internalKey: keyId ? { secretName: keySecretOf(suite), id: keyId } : before.internalKey,
    seeds: seedsOf(suite, look),
    history: historyOf(suite, standing, now),
  }
}

/** What was said of its readiness before stays said, and of the generation it was said of. */
const isPaused: NewCondition = {
  type: 'Paused',
  status: 'True',
  reason: 'Paused',
  message: 'changes of the suite and of its objects are left as they are until it is resumed',
}

const backendsReady = 'BackendsReady'

function serviceOf(suite: LegalSuite, name: string, look: Look) {
  const live = look('Deployment', nameOf(suite, name))
  const { ready, desired, available, failure } = healthOf(live)
  const version = versionOf(live)
  return {
    name,
    ready: ready && desired > 0,
    desired,
    available,
    ...(version && { version }),
    ...(failure && { message: clipped(failure, 256) }),
  }
}

type Pods = { spec?: { template?: { metadata?: { labels?: Record<string, string> } } } }

/** The version that its pods are to run. */
const versionOf = (live: Workload | undefined) =>
  (live as Pods | undefined)?.spec?.template?.metadata?.labels?.['app.kubernetes.io/version']

function phaseOf({ spec }: LegalSuite, { state, reason }: Standing): Phase {
  if (state === 'stalled') return 'Stalled'
  if (spec.hibernated) return 'Hibernated'
  if (state === 'ready') return 'Ready'
  if (reason === 'Migrating') return 'Migrating'
  return reason === 'RollingOut' ? 'RollingOut' : 'Pending'
}

/** Backends that the operator runs itself: the suite goes on without some, though not as well. */
function backendsCondition(suite: LegalSuite, look: Look): NewCondition | undefined {
  const { database, search, graph, hibernated } = suite.spec
  const managed = [
    ...(database.type === 'Embedded' ? ['postgres'] : []),
    ...(search?.type === 'Managed' ? ['qdrant'] : []),
    ...(graph?.type === 'Managed' ? ['neo4j'] : []),
  ]
  if (managed.length === 0 || hibernated) return undefined
  const late = managed
    .map((what) => ({ what, ...healthOf(look('StatefulSet', nameOf(suite, what))) }))
    .filter(({ ready }) => !ready)
    .map(({ what, available, desired }) => `${what} ${available}/${desired}`)
  const type = backendsReady
  return late.length === 0
    ? { type, status: 'True', reason: 'Ready', message: `ready: ${managed.join(', ')}` }
    : { type, status: 'False', reason: 'NotReady', message: `waiting for ${late.join(', ')}` }
}

/** In production collector-service is ready only once its seeds were applied. */
function seedsOf(suite: LegalSuite, look: Look): NonNullable<LegalSuiteStatus['seeds']> {
  const { seeds, environment = 'production' } = suite.spec
  const packageIds = seeds?.packageIds ?? []
  if (packageIds.length === 0 && !seeds?.resourcesOnStartup) return { packageIds, state: 'None' }
  const { ready } = healthOf(look('Deployment', nameOf(suite, 'collector')))
  if (!ready) return { packageIds, state: 'Pending' }
  return { packageIds, state: environment === 'production' ? 'Applied' : 'Started' }
}

/** What came of each generation in the end: that it is there, or why it is not. */
function historyOf(suite: LegalSuite, { state, reason, message }: Standing, now: Date) {
  const history = suite.status?.history ?? []
  if (state === 'reconciling') return history
  const entry: HistoryEntry = {
    time: now.toISOString().replace(/\.\d+/, ''),
    generation: suite.metadata.generation,
    version: suite.spec.version,
    reason,
    message: clipped(`${imageOf(suite)}: ${message}`, 512),
  }
  return withHistory(history, entry, 10)
}
