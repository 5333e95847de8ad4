import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import { dataLabel, ownerReference, ownershipLabels, retainsData } from '../desired/common.ts'
import { applySet, inventoryDuringApply, isFailure, type Outcome } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { ReadyState } from '../runtime/conditions.ts'
import type { ReconcileCall, Result } from '../runtime/controller.ts'
import type { Recorder } from '../runtime/events.ts'
import {
  idOf,
  idText,
  mergeInventories,
  type ObjectId,
  subtractInventory,
} from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { makeStatusWriter } from '../runtime/status.ts'
import type { makeApiDiscovery } from './apis.ts'
import { findDatabaseBlocker } from './database-blocker.ts'
import type { makeDesiredCache } from './desired-cache.ts'
import { handOverReplicas } from './hand-over-replicas.ts'
import type { Workload } from './health.ts'
import type { makeReadCache, ReadCache } from './read-cache.ts'
import { foreignObjectState, readyStateOf } from './ready-state.ts'
import { planRollout, type RolloutPlan, type WorkloadLookup } from './rollout.ts'
import { rolloutReasonOf } from './rollout-reason.ts'
import { readSecrets } from './secrets.ts'
import { statusOf } from './status.ts'

export interface ReconcilerDeps {
  getSuite(key: string): LegalSuite | undefined
  /** Returns an object from the informers. */
  getLive(id: ObjectId): KubeObject | undefined
  /** Returns whether `getLive` sees every change of this kind. */
  isWatched(kind: string): boolean
  observe(object: KubeObject): void
  recorder: Recorder
  discoverApis: ReturnType<typeof makeApiDiscovery>
  readCache: ReturnType<typeof makeReadCache>
  desiredObjects: ReturnType<typeof makeDesiredCache>
  writeStatus: ReturnType<typeof makeStatusWriter>
  operatorNamespace: string
  /** Interval after which Secrets and objects of optional APIs are read again. */
  resyncPeriodMs: number
}

type ReconcileContext = ReconcilerDeps & {
  client: Client
  suite: LegalSuite
  lookup: WorkloadLookup
}

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
  const context: ReconcileContext = { ...deps, client, suite, lookup }
  return suite.spec.paused ? reconcilePaused(context) : reconcileActive(context)
}

/** Updates only the status. */
async function reconcilePaused(context: ReconcileContext): Promise<Result> {
  await updateStatus(context, undefined)
  return undefined
}

async function reconcileActive(context: ReconcileContext): Promise<Result> {
  const { client, suite, lookup, resyncPeriodMs } = context
  const discoverApis = await context.discoverApis(client)
  const readCache = context.readCache(suite, context.getLive)
  const read = readCache.secrets ?? (await readSecrets(client, suite))
  const { secrets, missing, keyId, created, foreign } = read
  for (const name of created)
    recordEvent(context, 'SecretCreated', 'Create', `created Secret ${name}`)
  if (foreign.length > 0) {
    await updateStatus(context, foreignObjectState(foreign.map((name) => `Secret ${name}`)))
    return { requeueAfter: withSpread(resyncPeriodMs) }
  }
  // Incomplete reads are not cached.
  if (missing.size === 0 && created.length === 0) readCache.secrets = read
  const facts = { apis: discoverApis, secrets, operatorNamespace: context.operatorNamespace }
  const database = await findDatabaseBlocker(client, suite, discoverApis, lookup)
  const plan = planRollout(suite, context.desiredObjects(suite, facts), {
    lookup,
    missing,
    database,
  })
  const { outcomes, inventory, current } = await apply(context, plan, readCache)
  const readyState = readyStateOf(suite, outcomes, plan.blocker, discoverApis)
  await updateStatus({ ...context, suite: current }, readyState, { keyId, inventory })
  const failed = outcomes.find(({ action }) => action === 'failed')
  if (failed?.action === 'failed') throw failed.error
  return { requeueAfter: withSpread(database ? Math.min(resyncPeriodMs, 5_000) : resyncPeriodMs) }
}

/** Spreads the resyncs of many suites over time. */
const withSpread = (milliseconds: number) => milliseconds * (0.8 + 0.2 * Math.random())

async function apply(
  context: ReconcileContext,
  { applicable: now, deferred: held }: RolloutPlan,
  readCache: ReadCache,
) {
  const { client, suite } = context
  const { namespace } = suite.metadata
  const inventory = (suite.status?.inventory ?? []).map((each) => ({ ...each, namespace }))
  const deferredIds = held.map(idOf)
  // Records new objects in the inventory before they are created, so that a crash leaves no untracked object.
  const inventoryDuring = inventoryDuringApply(inventory, now)
  const current =
    inventoryDuring.length > inventory.length
      ? await patchStatus(context, {
          ...suite.status,
          inventory: toStoredInventory(inventoryDuring),
        })
      : suite
  const before = new Map(now.map((each) => [idText(idOf(each)), context.getLive(idOf(each))]))
  await handOverReplicas(client, now, before)
  const applied = await applySet(now, {
    client,
    owner: { labels: ownershipLabels(suite), reference: ownerReference(suite) },
    live: (id) => context.getLive(id) ?? readCache.get(id),
    onWrite: (object) =>
      context.isWatched(object.kind) ? context.observe(object) : readCache.put(object),
    onFound: (object) => void (context.isWatched(object.kind) || readCache.put(object)),
    inventory: subtractInventory(inventory, deferredIds),
    retain: ({ metadata }) => retainsData(suite) && metadata.labels?.[dataLabel] === 'true',
  })
  recordChanges(context, now, applied.outcomes, before)
  // Foreign objects stay in the inventory: they may be adopted later, and pruning skips them until then.
  const foreign = applied.outcomes.filter(({ action }) => action === 'conflict').map(({ id }) => id)
  const deferredExisting = inventory.filter((id) =>
    deferredIds.some((other) => idText(other) === idText(id)),
  )
  return {
    outcomes: applied.outcomes,
    inventory: mergeInventories(applied.inventory, deferredExisting, foreign),
    current,
  }
}

const toStoredInventory = (ids: ObjectId[]) => ids.map(({ namespace: _, ...rest }) => rest)

async function patchStatus(
  { client, suite, writeStatus, observe }: ReconcileContext,
  status: LegalSuiteStatus,
) {
  const written = await writeStatus(client, suite, status)
  observe(written)
  return written
}

async function updateStatus(
  context: ReconcileContext,
  readyState: ReadyState | undefined,
  details: { keyId?: string | undefined; inventory?: ObjectId[] } = {},
) {
  const { suite, lookup } = context
  const status = statusOf(suite, { lookup, readyState, keyId: details.keyId, now: new Date() })
  const before = suite.status?.conditions?.find(({ type }) => type === 'Ready')
  const wasPaused = suite.status?.phase === 'Paused'
  await patchStatus(context, {
    ...status,
    ...(details.inventory && { inventory: toStoredInventory(details.inventory) }),
  })
  if (!readyState) {
    if (!wasPaused)
      recordEvent(context, 'Paused', 'Pause', 'changes are suspended until spec.paused is false')
  } else if (before?.reason !== readyState.reason || before?.message !== readyState.message) {
    const { state, reason, message } = readyState
    if (state !== 'reconciling')
      recordEvent(context, reason, 'Reconcile', message, state === 'stalled')
  }
}

/** Records an Event for each change. Deployments changed for the same reason share one Event. */
function recordChanges(
  context: ReconcileContext,
  objects: KubeObject[],
  outcomes: Outcome[],
  before: Map<string, KubeObject | undefined>,
) {
  const changed = new Map<string, { reason: string; detail: string; names: string[] }>()
  for (const outcome of outcomes) {
    const { id, action } = outcome
    if (action === 'unchanged' || isFailure(outcome)) continue
    const after = objects.find((each) => idText(idOf(each)) === idText(id))
    if (action === 'pruned')
      recordEvent(context, 'Pruned', 'Delete', `deleted obsolete ${id.kind} ${id.name}`)
    else if (action === 'kept')
      recordEvent(context, 'Kept', 'Keep', `retained ${id.kind} ${id.name}, which holds data`)
    else if (after && id.kind === 'Deployment') {
      const { reason, detail } = rolloutReasonOf(before.get(idText(id)), after)
      const { names } = changed.get(reason + detail) ?? { names: [] }
      changed.set(reason + detail, { reason, detail, names: [...names, id.name] })
    } else if (action === 'configured' && before.get(idText(id))) {
      recordEvent(context, 'Configured', 'Apply', `updated ${id.kind} ${id.name}`)
    }
  }
  for (const { reason, detail, names } of changed.values())
    recordEvent(context, reason, 'Apply', `${names.join(', ')}: ${detail}`)
}

function recordEvent(
  { recorder, suite }: ReconcileContext,
  reason: string,
  action: string,
  text: string,
  isWarning = false,
) {
  recorder.record(suite, { type: isWarning ? 'Warning' : 'Normal', reason, action, note: text })
}
