import { type AddedField, addedFields, fieldText, removalPatch } from '../runtime/added-fields.ts'
import { isConflict, isNotFound } from '../runtime/api-error.ts'
import { fieldManager } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { Condition, NewCondition } from '../runtime/conditions.ts'
import { type ObjectId, toObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getObjectResource } from '../runtime/resources.ts'

/** Fields that others added to the workloads of a suite, as messages. */
export interface Drift {
  /** Removed by this reconcile. */
  reverted: string[]
  /** Still there. */
  remaining: string[]
}

interface DriftInputs {
  client: Client
  /** Objects that were applied by this reconcile. */
  objects: KubeObject[]
  getLive(id: ObjectId): KubeObject | undefined
  observe(object: KubeObject): void
}

/**
 * Finds fields that others added to Deployments and StatefulSets and removes those of the pod spec, because
 * they change what runs. Server-side apply restores only fields that the operator sets itself.
 *
 * A field with the default value cannot be removed: the API server sets it again. It changes nothing, so it is
 * remembered and neither reported nor removed again.
 */
export function makeDriftRemover(maxRemembered = 2_000) {
  const ineffective = new Set<string>()

  return async ({ client, objects, getLive, observe }: DriftInputs): Promise<Drift> => {
    const drift: Drift = { reverted: [], remaining: [] }
    for (const object of objects) {
      if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') continue
      const live = getLive(toObjectId(object))
      if (!live || live.metadata.deletionTimestamp) continue
      const key = ({ path }: AddedField) => `${live.metadata.uid} ${fieldText(path)}`
      const added = addedFields(live, fieldManager).filter(
        (field) => !isIgnored(field) && !ineffective.has(key(field)),
      )
      const harmful = added.filter(changesPods)
      drift.remaining.push(...describeAddedFields(live, subtract(added, harmful)))
      if (harmful.length === 0) continue
      const after = await removeFields(client, live, object, harmful)
      if (!after) continue
      observe(after)
      const isUnchanged = after.metadata.generation === live.metadata.generation
      if (isUnchanged) for (const field of harmful) ineffective.add(key(field))
      else drift.reverted.push(...describeAddedFields(live, harmful))
    }
    for (const oldest of ineffective)
      if (ineffective.size > maxRemembered) ineffective.delete(oldest)
    return drift
  }
}

const subtract = <T>(all: T[], some: T[]) => all.filter((each) => !some.includes(each))

/** `kubectl rollout restart` and replica counts of an autoscaler are intended. */
const ignored = [
  'spec.replicas',
  'spec.template.metadata.annotations.kubectl.kubernetes.io/restartedAt',
]
const isIgnored = ({ path }: AddedField) => ignored.includes(fieldText(path))

/** Annotations and labels of pods do not change what runs. */
const changesPods = ({ path }: AddedField) => path[0] === 'f:template' && path[1] === 'f:spec'

/** Returns undefined if the object has changed since it was cached. The next reconcile tries again. */
async function removeFields(
  client: Client,
  live: KubeObject,
  desired: KubeObject,
  fields: AddedField[],
): Promise<KubeObject | undefined> {
  const spec = removalPatch(
    fields.map(({ path }) => path),
    desired.spec as object,
  )
  const { uid, resourceVersion } = live.metadata
  const patch = { metadata: { uid, resourceVersion }, spec }
  try {
    return await client.merge(getObjectResource(live), live.metadata, patch)
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined
    throw error
  }
}

function describeAddedFields({ kind, metadata }: KubeObject, fields: AddedField[]): string[] {
  const byManager = Map.groupBy(fields, ({ manager }) => manager)
  return [...byManager].map(
    ([manager, list]) =>
      `${kind} ${metadata.name}: ${list.map(({ path }) => fieldText(path)).join(', ')} (set by ${manager})`,
  )
}

export const driftDetected = 'DriftDetected'

/**
 * True while added fields remain. After a removal the condition is False and names what was removed, until the
 * next drift.
 */
export function driftCondition(
  { reverted, remaining }: Drift,
  before: Condition | undefined,
): NewCondition | undefined {
  const type = driftDetected
  if (remaining.length > 0)
    return { type, status: 'True', reason: 'FieldsAdded', message: remaining.join('; ') }
  if (reverted.length > 0)
    return { type, status: 'False', reason: 'Reverted', message: `removed ${reverted.join('; ')}` }
  return before?.status === 'False' ? before : undefined
}
