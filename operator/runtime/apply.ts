import { isConflict, isInvalid } from './api-error.ts'
import { appliedAnnotation, contentHash, isUpToDate } from './applied-hash.ts'
import type { Client } from './client.ts'
import {
  groupByRank,
  idText,
  mergeInventories,
  type ObjectId,
  subtractInventory,
  toObjectId,
} from './inventory.ts'
import type { KubeObject, OwnerReference } from './objects.ts'
import { getObjectResource, getResourceById, isKnownKind } from './resources.ts'

export type Owner = {
  /** Labels that all objects of this owner have and no other object has. */
  labels: Record<string, string>
  /** Owner reference of all objects that are not retained. */
  reference?: OwnerReference
}

export type ApplyOptions = {
  client: Client
  owner: Owner
  /** Returns the cached object of an informer. On a miss the API server is asked. */
  live: (id: ObjectId) => KubeObject | undefined
  /** Objects applied before. Those no longer desired are pruned. */
  inventory: ObjectId[]
  /** Selects objects that outlive their owner and are never pruned. */
  retain?: (object: KubeObject) => boolean
  /** Selects objects that are created elsewhere. If one is gone, its apply fails. */
  mustExist?: (object: KubeObject) => boolean
  /** Called with the response to each write, for the informers. */
  onWrite?: (object: KubeObject) => void
  /** Called with the metadata of each object read from the API server. */
  onFound?: (object: KubeObject) => void
}

export type PruneOptions = Pick<ApplyOptions, 'client' | 'owner' | 'retain'>

export type Outcome = { id: ObjectId } & (
  | { action: 'unchanged' | 'created' | 'configured' | 'pruned' | 'kept' }
  /** The object exists and has another owner. It was not changed. */
  | { action: 'conflict'; reason: string }
  | { action: 'failed'; error: unknown }
)

/** `inventory` names all objects of this owner that may exist after the call. */
export type ApplyResult = { outcomes: Outcome[]; inventory: ObjectId[] }

export const fieldManager = 'legal-suite-operator'

/** Users set this annotation to "true" to let the operator adopt an object. */
export const adoptAnnotation = 'legalsuite.dev/adopt'

/**
 * Applies the desired objects in dependency order and then prunes obsolete objects of the inventory. Sends no
 * write if nothing changed.
 */
export async function applySet(objects: KubeObject[], options: ApplyOptions): Promise<ApplyResult> {
  const outcomes = await applyObjects(objects, options)
  const desired = objects.map(toObjectId)
  const applied = outcomes.filter(({ action }) => action !== 'conflict').map(({ id }) => id)
  const obsolete = subtractInventory(options.inventory, desired)
  // After a failure nothing is pruned: an obsolete object may still serve in place of the failed one.
  if (outcomes.some(isFailure)) return { outcomes, inventory: mergeInventories(obsolete, applied) }

  const pruned = await pruneObjects(obsolete, options)
  const remaining = pruned.filter(({ action }) => action === 'failed').map(({ id }) => id)
  return { outcomes: [...outcomes, ...pruned], inventory: mergeInventories(applied, remaining) }
}

/** Applies objects in dependency order. */
export async function applyObjects(objects: KubeObject[], options: ApplyOptions) {
  const outcomes: Outcome[] = []
  for (const group of groupByRank(objects)) {
    outcomes.push(...(await mapInBatches(group, (object) => applyOne(object, options))))
  }
  return outcomes
}

/** Deletes objects in reverse dependency order. Foreign objects are left unchanged. */
export async function pruneObjects(ids: ObjectId[], options: PruneOptions) {
  const outcomes: Outcome[] = []
  for (const group of groupByRank(ids).reverse()) {
    outcomes.push(...(await mapInBatches(group, (id) => prune(id, options))))
  }
  return outcomes
}

/** The inventory to store before the first write, so that a crash leaves no untracked object. */
export const inventoryDuringApply = (inventory: ObjectId[], objects: KubeObject[]) =>
  mergeInventories(inventory, objects.map(toObjectId))

/** Returns whether an apply of the object would change the live one. */
export const wouldChange = (
  live: KubeObject,
  object: KubeObject,
  options: Pick<ApplyOptions, 'owner' | 'retain'>,
) => !isUpToDate(live, withOwnership(object, options), fieldManager)

export const isFailure = ({ action }: Outcome) => action === 'conflict' || action === 'failed'

async function applyOne(object: KubeObject, options: ApplyOptions): Promise<Outcome> {
  const id = toObjectId(object)
  const desired = withOwnership(object, options)
  try {
    const cached = options.live(id)
    const before = cached ?? (await findLive(id, options))
    try {
      return await applyOver(before, desired, options)
    } catch (error) {
      if (!(isConflict(error) || (cached && isInvalid(error)))) throw error
      const now = await findLive(id, options)
      if (now?.metadata.uid === before?.metadata.uid) throw error
      // The object was created, deleted or replaced meanwhile. Another owner may have its name.
      return await applyOver(now, desired, options)
    }
  } catch (error) {
    return { id, action: 'failed', error }
  }
}

async function applyOver(
  live: KubeObject | undefined,
  desired: KubeObject,
  options: ApplyOptions,
): Promise<Outcome> {
  const id = toObjectId(desired)
  const reason =
    live &&
    live.metadata.annotations?.[adoptAnnotation] !== 'true' &&
    foreignReason(live, options.owner)
  if (reason) return { id, action: 'conflict', reason }
  if (live?.metadata.deletionTimestamp) throw new Error(`${idText(id)} is being deleted`)
  if (live && isUpToDate(live, desired, fieldManager)) return { id, action: 'unchanged' }
  if (!live && options.mustExist?.(desired)) throw new Error(`${idText(id)} is gone`)

  // The uid ensures that only the checked object is changed. A new object is applied without force, so that
  // an object created concurrently causes a conflict.
  const body = live
    ? { ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid! } }
    : desired
  const force = live !== undefined
  const result = await options.client.apply(getObjectResource(desired), body, {
    fieldManager,
    force,
  })
  options.onWrite?.(result)
  return { id, action: live ? 'configured' : 'created' }
}

async function prune(id: ObjectId, { client, owner, retain }: PruneOptions): Promise<Outcome> {
  try {
    // An operator of another version may have stored a kind that this one does not know.
    if (!isKnownKind(id)) return { id, action: 'kept' }
    const live = await getMetadata(id, client)
    if (!live) return { id, action: 'pruned' }
    // A foreign object that is not desired needs no change.
    if (!isOwned(live, owner)) return { id, action: 'unchanged' }
    if (retain?.(live)) return { id, action: 'kept' }
    const { uid } = live.metadata
    // A workload stays visible until its pods are gone, so that nothing they use is deleted before.
    const propagation = hasPods(id) ? 'Foreground' : 'Background'
    await client.delete(getObjectResource(live), live.metadata, { uid, propagation })
    return { id, action: 'pruned' }
  } catch (error) {
    return { id, action: 'failed', error }
  }
}

const hasPods = ({ kind }: ObjectId) => ['Deployment', 'StatefulSet', 'Job'].includes(kind)

async function findLive(id: ObjectId, { client, onFound }: ApplyOptions) {
  const object = await getMetadata(id, client)
  if (object) onFound?.(object)
  return object
}

function getMetadata(id: ObjectId, client: Client) {
  const { namespace, name } = id
  return client.get(getResourceById(id), { namespace, name }, { metadataOnly: true })
}

/** Returns whether an object belongs to this owner: by its controller reference and by its labels. */
export const isOwned = (object: KubeObject, owner: Owner) =>
  (foreignReason(object, owner) ?? missingLabelReason(object, owner)) === undefined

/**
 * Returns why an object does not belong to this owner. The controller reference has priority over labels.
 */
function foreignReason(object: KubeObject, owner: Owner): string | undefined {
  const controller = object.metadata.ownerReferences?.find(({ controller }) => controller)
  if (!controller) return missingLabelReason(object, owner)
  const { kind, name, uid } = controller
  return uid === owner.reference?.uid ? undefined : `owned by ${kind} ${name}`
}

function missingLabelReason({ metadata }: KubeObject, { labels }: Owner): string | undefined {
  const missing = Object.entries(labels).find(([name, value]) => metadata.labels?.[name] !== value)
  return missing && `label ${missing.join('=')} is missing`
}

/** Cached per desired object, which is reused between reconciles. */
const ownershipCache = new WeakMap<KubeObject, { owner: string; withHash: KubeObject }>()

/** Adds the labels and the reference of the owner and the hash of the result. */
function withOwnership(
  object: KubeObject,
  { owner, retain }: Pick<ApplyOptions, 'owner' | 'retain'>,
): KubeObject {
  const { metadata } = object
  const references = owner.reference && !retain?.(object) ? [owner.reference] : []
  const text = JSON.stringify([owner.labels, references])
  const cached = ownershipCache.get(object)
  if (cached?.owner === text) return cached.withHash
  const withHash = {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...owner.labels },
      ...(references.length ? { ownerReferences: references } : {}),
    },
  }
  const annotations = { ...metadata.annotations, [appliedAnnotation]: contentHash(withHash) }
  const result = { ...withHash, metadata: { ...withHash.metadata, annotations } }
  ownershipCache.set(object, { owner: text, withHash: result })
  return result
}

async function mapInBatches<T, R>(items: T[], apply: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += 8) {
    results.push(...(await Promise.all(items.slice(from, from + 8).map(apply))))
  }
  return results
}
