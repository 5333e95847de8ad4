import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import { ownerReference, retainsData } from '../desired/common.ts'
import type { Client } from '../runtime/client.ts'
import { idText, type ObjectId, toObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getResourceById } from '../runtime/resources.ts'

/** Users list the uids of retained objects in this annotation to have them deleted. */
export const removeRetainedAnnotation = 'legalsuite.dev/remove-retained'

type RetainedObject = NonNullable<LegalSuiteStatus['retained']>[number]

interface RetainedInputs {
  client: Client
  suite: LegalSuite
  /** Returns an object from the informers. */
  getLive(id: ObjectId): KubeObject | undefined
  /** Data objects that an edit made obsolete. */
  obsolete: ObjectId[]
  desired: ObjectId[]
  isServed(id: ObjectId): boolean
  /** Whether the suite owns an object. Foreign objects of desired names are in the inventory too. */
  isOwned(live: KubeObject): boolean
  /** Whether no pod uses an object of an older spec any more. */
  rolledOut: boolean
}

export interface RetainedResult {
  retained: RetainedObject[]
  removed: ObjectId[]
}

/**
 * Keeps the list of data objects that no spec uses any more. Their owner reference follows the deletion
 * policy, StatefulSets among them are scaled to zero, and those named by uid in the annotation are deleted.
 */
export async function reconcileRetained(inputs: RetainedInputs): Promise<RetainedResult> {
  const { client, suite, obsolete, desired, isServed, rolledOut } = inputs
  const { namespace } = suite.metadata
  const desiredNames = new Set(desired.map(idText))
  const candidates = new Map<string, ObjectId>()
  for (const { uid: _, ...each } of suite.status?.retained ?? [])
    candidates.set(idText({ ...each, namespace }), { ...each, namespace })
  for (const id of obsolete) candidates.set(idText(id), id)
  const result: RetainedResult = { retained: [], removed: [] }
  for (const [text, id] of candidates) {
    if (desiredNames.has(text)) continue
    const existing = suite.status?.retained?.find(
      ({ kind, name, group }) => kind === id.kind && name === id.name && group === id.group,
    )
    if (!isServed(id)) {
      if (existing) result.retained.push(existing)
      continue
    }
    const live = inputs.getLive(id) ?? (await getMetadata(client, id))
    if (!live || !inputs.isOwned(live)) continue
    const { group, version, kind, name } = id
    const uid = live.metadata.uid!
    const isRequested = isRemovalRequested(suite, live)
    // A request that is older than the edit was meant for another situation.
    const isStale = isRequested && (existing?.uid !== uid || existing.isRequestStale === true)
    if (rolledOut && isRequested && !isStale) {
      await remove(client, live)
      result.removed.push(id)
      continue
    }
    await release(client, suite, live, rolledOut)
    const stale = isStale && { isRequestStale: true }
    result.retained.push({ group, version, kind, name, uid, ...stale })
  }
  return result
}

const getMetadata = (client: Client, id: ObjectId) =>
  client.get(getResourceById(id), id, { metadataOnly: true })

/** Uids are unique, so that a request never applies to a later object of the same name. */
function isRemovalRequested({ metadata }: LegalSuite, live: KubeObject) {
  const requested = metadata.annotations?.[removeRetainedAnnotation] ?? ''
  return requested
    .split(',')
    .map((uid) => uid.trim())
    .includes(live.metadata.uid!)
}

async function remove(client: Client, live: KubeObject) {
  const resource = getResourceById(toObjectId(live))
  const { uid } = live.metadata
  if (live.kind === 'StatefulSet') {
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } }
    await client.merge(resource, live.metadata, { metadata: { uid }, spec })
  }
  await client.delete(resource, live.metadata, { uid, propagation: 'Background' })
}

/** Brings a retained object in line with the deletion policy and stops its pods. */
async function release(client: Client, suite: LegalSuite, live: KubeObject, rolledOut: boolean) {
  const { uid, resourceVersion } = live.metadata
  const patch: Record<string, unknown> = {}
  const ownerReferences = ownerReferencesFor(suite, live)
  if (ownerReferences) patch.metadata = { uid, resourceVersion, ownerReferences }
  if (live.kind === 'StatefulSet') {
    const spec = statefulSetPatch(suite, live, rolledOut)
    if (spec) patch.spec = spec
  }
  if (Object.keys(patch).length > 0)
    await client.merge(getResourceById(toObjectId(live)), live.metadata, {
      metadata: { uid },
      ...patch,
    })
}

/** Returns the owner references of a data object under the deletion policy, or undefined if they are right. */
export function ownerReferencesFor(suite: LegalSuite, live: KubeObject) {
  const current = live.metadata.ownerReferences ?? []
  const others = current.filter(({ uid }) => uid !== suite.metadata.uid)
  const isOwned = others.length < current.length
  if (retainsData(suite)) return isOwned ? others : undefined
  return isOwned ? undefined : [...others, ownerReference(suite)]
}

function statefulSetPatch(suite: LegalSuite, live: KubeObject, rolledOut: boolean) {
  const { replicas, persistentVolumeClaimRetentionPolicy: policy } = (live.spec ?? {}) as {
    replicas?: number
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string }
  }
  const whenDeleted = retainsData(suite) ? 'Retain' : 'Delete'
  const stop = rolledOut && replicas !== 0
  if (policy?.whenDeleted === whenDeleted && !stop) return undefined
  return {
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' },
    ...(stop && { replicas: 0 }),
  }
}
