import type { LegalSuite } from '../api/legal-suite.ts'
import { dataLabel, ownerReference, ownershipLabels, retainsData } from '../desired/common.ts'
import {
  applyObjects,
  inventoryDuringApply,
  isFailure,
  isOwned,
  type Outcome,
  pruneObjects,
} from '../runtime/apply.ts'
import {
  idText,
  mergeInventories,
  type ObjectId,
  subtractInventory,
  toObjectId,
} from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { patchStatus, type ReconcileContext, recordEvent } from './context.ts'
import type { Drift } from './drift.ts'
import { handOverReplicas } from './hand-over-replicas.ts'
import type { Workload } from './health.ts'
import { classifyObsolete, isRolledOut } from './obsolete.ts'
import type { ReadCache } from './read-cache.ts'
import { recordChanges } from './record-changes.ts'
import { recordDrift } from './record-drift.ts'
import { type RetainedResult, reconcileRetained } from './retained.ts'
import type { RolloutPlan } from './rollout-plan.ts'

export interface ApplySuiteResult {
  outcomes: Outcome[]
  inventory: ObjectId[]
  retained: RetainedResult['retained']
  drift: Drift
  /** The suite with the inventory that was stored before the first write. */
  current: LegalSuite
}

/**
 * Applies the applicable objects of a plan, then deletes obsolete objects that no pod uses and that hold no
 * data. Until the rollout is complete nothing is deleted, because pods of older templates may still run.
 */
export async function applySuite(
  context: ReconcileContext,
  plan: RolloutPlan,
  readCache: ReadCache,
  isServed: (id: ObjectId) => boolean,
): Promise<ApplySuiteResult> {
  const { client, suite } = context
  const { applicable, deferred } = plan
  const { namespace } = suite.metadata
  const inventory = (suite.status?.inventory ?? []).map((each) => ({ ...each, namespace }))
  const desired = [...applicable, ...deferred].map(toObjectId)
  const current = await storeInventory(
    context,
    inventory,
    inventoryDuringApply(inventory, applicable),
  )
  const before = new Map(
    applicable.map((each) => [idText(toObjectId(each)), context.getLive(toObjectId(each))]),
  )
  await handOverReplicas(client, applicable, before)
  const ownership = buildOwnership(suite)
  const { owner } = ownership
  const applied = await applyObjects(applicable, {
    client,
    ...ownership,
    live: (id) => context.getLive(id) ?? readCache.get(id),
    onWrite: (object) =>
      context.isWatched(object.kind) ? context.observe(object) : readCache.put(object),
    onFound: (object) => void (context.isWatched(object.kind) || readCache.put(object)),
    // Applying the metadata of a deleted Secret would create one without values.
    mustExist: ({ kind }) => kind === 'Secret',
    inventory: [],
  })
  const failed = new Set(applied.filter(isFailure).map(({ id }) => idText(id)))
  const drift = await context.removeDrift({
    client,
    objects: applicable.filter((each) => !failed.has(idText(toObjectId(each)))),
    getLive: context.getLive,
    observe: context.observe,
  })
  recordDrift(context, drift)
  const workloads = context.listWorkloads(suite)
  const desiredNames = new Set(desired.map(idText))
  const isDone = (each: Workload) =>
    !desiredNames.has(idText(toObjectId(each))) ||
    (isRolledOut(each) && !context.pods.isDraining(each))
  // An Ingress serves until the HTTPRoute that replaces it exists.
  const hasEntryPoint = !deferred.some(({ kind }) => kind === 'HTTPRoute')
  const rolledOut =
    !plan.blocker && !applied.some(isFailure) && workloads.every(isDone) && hasEntryPoint
  const { prunable, retained, inUse } = classifyObsolete(subtractInventory(inventory, desired), {
    suite,
    getLive: context.getLive,
    workloads,
    hasStarted: context.pods.hasStarted,
    rolledOut,
    isServed,
  })
  const pruned = await pruneObjects(prunable, { client, owner })
  const retainedResult = await reconcileRetained({
    client,
    suite,
    getLive: context.getLive,
    obsolete: retained,
    desired,
    isServed,
    isOwned: (live) => isOwned(live, owner),
    rolledOut,
  })
  recordChanges(context, applicable, [...applied, ...pruned], before)
  recordRetained(context, retainedResult)
  const failedPrunes = pruned.filter(({ action }) => action === 'failed')
  return {
    // An obsolete object with another owner is not reported.
    outcomes: [...applied, ...failedPrunes],
    inventory: mergeInventories(
      applied.map(({ id }) => id),
      inventory.filter((id) => deferred.some((other) => idText(toObjectId(other)) === idText(id))),
      inUse,
      failedPrunes.map(({ id }) => id),
    ),
    retained: retainedResult.retained,
    drift,
    current,
  }
}

/** The owner of the objects of a suite, and which of them outlive the suite. */
export const buildOwnership = (suite: LegalSuite) => ({
  owner: { labels: ownershipLabels(suite), reference: ownerReference(suite) },
  retain: ({ metadata }: KubeObject) =>
    retainsData(suite) && metadata.labels?.[dataLabel] === 'true',
})

/** Stores new objects in the inventory before they are created, so that a crash leaves no untracked object. */
async function storeInventory(context: ReconcileContext, before: ObjectId[], during: ObjectId[]) {
  const { suite } = context
  if (during.length <= before.length) return suite
  const inventory = toStoredInventory(during)
  const written = await patchStatus(context, { ...suite.status, inventory })
  // The response can have a later spec, which this reconcile does not describe.
  return { ...suite, ...(written.status && { status: written.status }) }
}

export const toStoredInventory = (ids: ObjectId[]) => ids.map(({ namespace: _, ...rest }) => rest)

function recordRetained(context: ReconcileContext, { retained, removed }: RetainedResult) {
  const before = new Set(context.suite.status?.retained?.map(({ uid }) => uid))
  for (const { kind, name, uid } of retained)
    if (!before.has(uid))
      recordEvent(context, 'Kept', 'Keep', `retained ${kind} ${name}, which holds data`)
  // A Warning: data is gone, and Warnings have an event budget of their own.
  for (const { kind, name } of removed) {
    const text = `deleted retained ${kind} ${name} on request`
    recordEvent(context, 'RetainedRemoved', 'Delete', text, true)
  }
}
