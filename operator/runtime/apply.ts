import { isConflict, isInvalid } from './api-error.ts'
import type { Client } from './client.ts'
import { idOf, idText, merged, type ObjectId, ranked, without } from './inventory.ts'
import type { KubeObject, OwnerReference } from './objects.ts'
import { appliedAnnotation, hashOf, isApplied } from './owned.ts'
import { resourceOf, resourceOfObject } from './resources.ts'

export type Owner = {
  /** On every object of this owner and on no other's. */
  labels: Record<string, string>
  /** Set on every object that is not kept. */
  reference?: OwnerReference
}

export type ApplyOptions = {
  client: Client
  owner: Owner
  /** The newest known form of an object, from an informer. Absent there, the API server is asked. */
  live: (id: ObjectId) => KubeObject | undefined
  /** What was applied before, to find what is no longer wanted. */
  inventory: ObjectId[]
  /** Objects that outlive their owner, and are not deleted though they are no longer wanted. */
  keep?: (object: KubeObject) => boolean
  /** Told of every answer to a write, for the informers. */
  observe?: (object: KubeObject) => void
  /** Told of the metadata of every object that the API server was asked for. */
  found?: (object: KubeObject) => void
}

export type Outcome = { id: ObjectId } & (
  | { action: 'unchanged' | 'created' | 'configured' | 'pruned' | 'kept' }
  /** There is such an object and it is not ours: it was left alone. */
  | { action: 'conflict'; reason: string }
  | { action: 'failed'; error: unknown }
)

/** `inventory` names all that may exist of this owner from now on. */
export type Applied = { outcomes: Outcome[]; inventory: ObjectId[] }

export const fieldManager = 'legal-suite-operator'

/** Set to "true" by whoever wants an object of theirs to be taken over. */
export const adoptAnnotation = 'legalsuite.dev/adopt'

/**
 * Brings the owner's objects to what is wanted, in an order in which each finds what it needs, and then
 * deletes what the inventory names and nobody wants. Nothing is written when nothing changed.
 */
export async function applySet(objects: KubeObject[], options: ApplyOptions): Promise<Applied> {
  const outcomes: Outcome[] = []
  for (const group of ranked(objects)) {
    outcomes.push(...(await eachOf(group, (object) => applyOne(object, options))))
  }
  const wanted = objects.map(idOf)
  const ours = outcomes.filter(({ action }) => action !== 'conflict').map(({ id }) => id)
  const unwanted = without(options.inventory, wanted)
  // What is unwanted may be what still serves in place of what could not be made.
  if (outcomes.some(isTrouble)) return { outcomes, inventory: merged(unwanted, ours) }

  const pruned: Outcome[] = []
  for (const group of ranked(unwanted).reverse()) {
    pruned.push(...(await eachOf(group, (id) => prune(id, options))))
  }
  const left = pruned.filter(({ action }) => action === 'failed').map(({ id }) => id)
  return { outcomes: [...outcomes, ...pruned], inventory: merged(ours, left) }
}

/** What may exist while the objects are applied: kept before the first write, no crash loses track. */
export const inventoryDuring = (inventory: ObjectId[], objects: KubeObject[]) =>
  merged(inventory, objects.map(idOf))

export const isTrouble = ({ action }: Outcome) => action === 'conflict' || action === 'failed'

async function applyOne(object: KubeObject, options: ApplyOptions): Promise<Outcome> {
  const id = idOf(object)
  const wanted = owned(object, options)
  try {
    const known = options.live(id)
    try {
      return await applyOver(known ?? (await find(id, options)), wanted, options)
    } catch (error) {
      if (!known || !(isConflict(error) || isInvalid(error))) throw error
      const now = await find(id, options)
      if (now?.metadata.uid === known.metadata.uid) throw error
      // The one we knew is gone, and another may have its name.
      return await applyOver(now, wanted, options)
    }
  } catch (error) {
    if (isConflict(error)) return { id, action: 'conflict', reason: (error as Error).message }
    return { id, action: 'failed', error }
  }
}

async function applyOver(
  live: KubeObject | undefined,
  wanted: KubeObject,
  options: ApplyOptions,
): Promise<Outcome> {
  const id = idOf(wanted)
  const reason =
    live && live.metadata.annotations?.[adoptAnnotation] !== 'true' && foreign(live, options.owner)
  if (reason) return { id, action: 'conflict', reason }
  if (live?.metadata.deletionTimestamp) throw new Error(`${idText(id)} is being deleted`)
  if (live && isApplied(live, wanted, fieldManager)) return { id, action: 'unchanged' }

  // With its uid, no other than the one looked at is changed. A new one is made without force: should
  // somebody have made one meanwhile, the fields that differ refuse.
  const body = live
    ? { ...wanted, metadata: { ...wanted.metadata, uid: live.metadata.uid! } }
    : wanted
  const force = live !== undefined
  const result = await options.client.apply(resourceOfObject(wanted), body, { fieldManager, force })
  options.observe?.(result)
  return { id, action: live ? 'configured' : 'created' }
}

async function prune(id: ObjectId, { client, owner, keep }: ApplyOptions): Promise<Outcome> {
  try {
    const live = await ask(id, client)
    if (!live) return { id, action: 'pruned' }
    const reason = foreign(live, owner) ?? unlabelled(live, owner)
    if (reason) return { id, action: 'conflict', reason }
    if (keep?.(live)) return { id, action: 'kept' }
    const { uid } = live.metadata
    await client.delete(resourceOfObject(live), live.metadata, { uid, propagation: 'Background' })
    return { id, action: 'pruned' }
  } catch (error) {
    return { id, action: 'failed', error }
  }
}

async function find(id: ObjectId, { client, found }: ApplyOptions) {
  const object = await ask(id, client)
  if (object) found?.(object)
  return object
}

function ask({ group, version, kind, namespace, name }: ObjectId, client: Client) {
  const resource = resourceOf(group ? `${group}/${version}` : version, kind)
  return client.get(resource, { namespace, name }, { metadataOnly: true })
}

/** Why an object is not this owner's; nothing when it is. Who is its controller says more than labels do. */
function foreign(object: KubeObject, owner: Owner): string | undefined {
  const controller = object.metadata.ownerReferences?.find(({ controller }) => controller)
  if (!controller) return unlabelled(object, owner)
  const { kind, name, uid } = controller
  return uid === owner.reference?.uid ? undefined : `it is owned by ${kind} ${name}`
}

function unlabelled({ metadata }: KubeObject, { labels }: Owner): string | undefined {
  const missing = Object.entries(labels).find(([name, value]) => metadata.labels?.[name] !== value)
  return missing && `it is not labelled ${missing.join('=')}`
}

/** Of the same object for the same owner it is the same again. */
const marks = new WeakMap<KubeObject, { owner: string; marked: KubeObject }>()

/** The object with the marks of its owner and the hash of all that. */
function owned(object: KubeObject, { owner, keep }: ApplyOptions): KubeObject {
  const { metadata } = object
  const references = owner.reference && !keep?.(object) ? [owner.reference] : []
  const text = JSON.stringify([owner.labels, references])
  const known = marks.get(object)
  if (known?.owner === text) return known.marked
  const marked = {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...owner.labels },
      ...(references.length ? { ownerReferences: references } : {}),
    },
  }
  const annotations = { ...metadata.annotations, [appliedAnnotation]: hashOf(marked) }
  const result = { ...marked, metadata: { ...marked.metadata, annotations } }
  marks.set(object, { owner: text, marked: result })
  return result
}

async function eachOf<T, R>(things: T[], act: (thing: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < things.length; from += 8) {
    results.push(...(await Promise.all(things.slice(from, from + 8).map(act))))
  }
  return results
}
