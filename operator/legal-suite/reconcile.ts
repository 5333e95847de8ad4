import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import { objectName, rolloutAnnotation } from '../desired/common.ts'
import { internalKeySecretName } from '../desired/internal-key.ts'
import { ApiError, isConflict } from '../runtime/api-error.ts'
import type { ReadyState } from '../runtime/conditions.ts'
import type { ReconcileCall, Result } from '../runtime/controller.ts'
import { objectKey } from '../runtime/objects.ts'
import { isServed } from './apis.ts'
import { type ApplySuiteResult, applySuite, toStoredInventory } from './apply-suite.ts'
import { patchStatus, type ReconcileContext, type ReconcilerDeps, recordEvent } from './context.ts'
import { findDatabaseBlocker } from './database-blocker.ts'
import { makeEndpointLookup } from './endpoints.ts'
import { healthOf, type Workload } from './health.ts'
import { keyMountFor, withoutMissingKeys } from './key-switch.ts'
import { listPendingChanges } from './pending-changes.ts'
import {
  foreignObjectState,
  lostSecretState,
  readFailedState,
  readyStateOf,
} from './ready-state.ts'
import { recordProblems } from './record-problems.ts'
import { planRollout } from './rollout.ts'
import type { WorkloadLookup } from './rollout-plan.ts'
import { loadCurrentKey, type SecretReads } from './secrets.ts'
import { hasStartupSeeds, seedsReadyState } from './seeds-status.ts'
import type { StartupRun } from './startup-seeds.ts'
import { buildStatus } from './status.ts'
import { suitePods } from './suite-pods.ts'

/** Reconciles one suite: reads its inputs, applies what the rollout order allows and updates the status. */
export async function reconcile(
  key: string,
  { client }: Pick<ReconcileCall, 'client'>,
  deps: ReconcilerDeps,
): Promise<Result> {
  const suite = deps.getSuite(key)
  // Owner references delete the objects of a deleted suite.
  if (!suite || suite.metadata.deletionTimestamp) return undefined
  const { namespace } = suite.metadata
  const lookup: WorkloadLookup = (kind, name) =>
    deps.getLive({
      group: kind === 'Job' ? 'batch' : 'apps',
      version: 'v1',
      kind,
      namespace,
      name,
    }) as Workload | undefined
  const pods = suitePods(deps.listPods(suite))
  const isReachable = makeEndpointLookup(deps.listEndpointSlices(suite))
  const context: ReconcileContext = { ...deps, client, suite, lookup, pods, isReachable }
  return suite.spec.paused ? reconcilePaused(context) : reconcileReported(context)
}

/** Updates only the status, with the changes that would be made. */
async function reconcilePaused(context: ReconcileContext): Promise<Result> {
  const pending = await listPendingChanges(context).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return undefined
  })
  await updateStatus(context, undefined, { pending })
  return { requeueAfter: withSpread(context.resyncPeriodMs) }
}

/** Reports a failure that is not part of the outcomes: of a read, or of a write besides the applied objects. */
async function reconcileReported(context: ReconcileContext): Promise<Result> {
  const progress = { isReported: false }
  try {
    return await reconcileActive(context, progress)
  } catch (error) {
    if (!progress.isReported && error instanceof ApiError && !isConflict(error)) {
      // The inventory may have been stored meanwhile.
      const { status } = context.getSuite(objectKey(context.suite)) ?? context.suite
      const suite = { ...context.suite, ...(status && { status }) }
      await updateStatus({ ...context, suite }, readFailedState(error))
    }
    throw error
  }
}

async function reconcileActive(
  context: ReconcileContext,
  progress: { isReported: boolean },
): Promise<Result> {
  const { client, suite, lookup, pods, resyncPeriodMs } = context
  const apis = await context.discoverApis(client)
  const readCache = context.readCache(suite, context.getLive)
  const workloads = context.listWorkloads(suite)
  const mount = keyMountFor(suite, { workloads, isDraining: pods.isDraining })
  const cached = readCache.secrets?.keySecret === mount.current ? readCache.secrets : undefined
  const read = cached ?? (await context.readSecrets(client, suite, context.getLive, mount))
  const { secrets, missing, keyId, created, foreign, lost } = read
  for (const name of created)
    recordEvent(context, 'SecretCreated', 'Create', `created Secret ${name}`)
  if (foreign.length > 0) {
    await updateStatus(context, foreignObjectState(foreign.map((name) => `Secret ${name}`)))
    return { requeueAfter: withSpread(resyncPeriodMs) }
  }
  if (lost.length > 0) {
    await updateStatus(context, lostSecretState(lost))
    return { requeueAfter: withSpread(resyncPeriodMs) }
  }
  if (!cached) recordReplacedKey(context, read)
  // Incomplete reads are not cached.
  if (missing.size === 0 && created.length === 0) readCache.secrets = read
  const internalKey = withoutMissingKeys(mount, missing, internalKeySecretName(suite))
  const { operatorNamespace } = context
  const facts = { secrets, database: read.database, operatorNamespace, internalKey }
  const database = await findDatabaseBlocker(client, suite, apis, lookup, pods)
  const isAvailable = (object: { kind: string }) => isServed(object, apis)
  const objects = context.desiredObjects(suite, facts)
  const plan = planRollout(suite, objects, {
    lookup,
    missing,
    database,
    isServed: isAvailable,
    findProblem: pods.findProblem,
    isReachable: context.isReachable,
    policiesAreNew: hasOnlyUnrestrictedPods(suite),
    remainingClients: pods.remainingClients,
    lastMessage: suite.status?.conditions?.find(({ type }) => type === 'Ready')?.message,
  })
  const applied = await applySuite(context, plan, readCache, isAvailable)
  const seeds = readStartupSeeds(context)
  const state = readyStateOf(suite, applied.outcomes, plan.blocker, apis, pods.remaining)
  const seedsState = seeds?.run && seedsReadyState(suite, seeds.run)
  const readyState = state.state === 'ready' ? (seedsState ?? state) : state
  progress.isReported = true
  await updateStatus({ ...context, suite: applied.current }, readyState, {
    // During a switch the old key is accepted until the last step.
    key: keyId && !internalKey.accepted && { secretName: internalKey.current, id: keyId },
    startupRun: seeds?.run,
    ...applied,
  })
  const failed = applied.outcomes.find(({ action }) => action === 'failed')
  if (failed?.action === 'failed') throw failed.error
  const resyncMs = withSpread(database ? Math.min(resyncPeriodMs, 5_000) : resyncPeriodMs)
  const recheckMs = [pods.recheckMs ?? Infinity, seeds?.recheckMs ?? Infinity]
  return { requeueAfter: Math.min(resyncMs, ...recheckMs) }
}

/** Pods of a suite that has no network policies yet reach everything that they use. */
const hasOnlyUnrestrictedPods = ({ status }: LegalSuite) => {
  const has = (kind: string) => status?.inventory?.some((each) => each.kind === kind) ?? false
  return has('Deployment') && !has('NetworkPolicy')
}

/** Warns about a key that was replaced in place without an overlap. The pods mount the Secret directly. */
function recordReplacedKey(
  context: ReconcileContext,
  { keySecret, keyId, acceptedKeyIds }: SecretReads,
) {
  const before = context.suite.status?.internalKey
  if (!keyId || before?.secretName !== keySecret || before.id === keyId) return
  if (acceptedKeyIds.includes(before.id)) return
  const text = `Secret ${keySecret} replaced its key in one step, so services reject each other until all have reloaded it; add the next key to "accepted" first, or switch to another Secret`
  recordEvent(context, 'InternalKeyReplaced', 'Check', text, true)
}

/** Reads what collector-service applied, once it is ready. */
function readStartupSeeds({ client, suite, lookup, startupSeeds }: ReconcileContext) {
  const collector = lookup('Deployment', objectName(suite, 'collector'))
  if (!hasStartupSeeds(suite) || !collector || !healthOf(collector).ready) return undefined
  const rollout = collector.metadata.annotations?.[rolloutAnnotation] ?? ''
  return startupSeeds.read(suite, rollout, () => loadCurrentKey(client, suite))
}

/** Spreads the resyncs of many suites over time. */
const withSpread = (milliseconds: number) => milliseconds * (0.8 + 0.2 * Math.random())

async function updateStatus(
  context: ReconcileContext,
  readyState: ReadyState | undefined,
  details: {
    key?: LegalSuiteStatus['internalKey'] | undefined | '' | false
    pending?: string[] | undefined
    startupRun?: StartupRun | undefined
  } & Partial<Pick<ApplySuiteResult, 'inventory' | 'retained' | 'drift'>> = {},
) {
  const { suite, lookup, pods, isReachable } = context
  const status = buildStatus(suite, {
    lookup,
    pods,
    isReachable,
    readyState,
    key: details.key || undefined,
    drift: details.drift,
    pending: details.pending,
    startupRun: details.startupRun,
    now: new Date(),
  })
  const before = suite.status?.conditions?.find(({ type }) => type === 'Ready')
  const wasPaused = suite.status?.phase === 'Paused'
  await patchStatus(context, {
    ...status,
    ...(details.inventory && { inventory: toStoredInventory(details.inventory) }),
    ...(details.retained && { retained: details.retained.length ? details.retained : undefined }),
  })
  const problems = recordProblems(context)
  if (!readyState) {
    if (!wasPaused)
      recordEvent(context, 'Paused', 'Pause', 'changes are suspended until spec.paused is false')
  } else if (before?.reason !== readyState.reason || before?.message !== readyState.message) {
    const { state, reason, message } = readyState
    if (state !== 'reconciling' && !problems.has(reason))
      recordEvent(context, reason, 'Reconcile', message, state === 'stalled')
  }
}
