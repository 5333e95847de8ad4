import type { Client } from '../runtime/client.ts'
import { idText, toObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getObjectResource } from '../runtime/resources.ts'

type Deployment = KubeObject & { spec?: { replicas?: number } }
type Autoscaler = KubeObject & { spec?: { minReplicas?: number } }

const manager = 'legal-suite-operator-scale'

/**
 * Keeps the replica count when an autoscaler is added. The Deployment then stops to set `replicas`, and a
 * field without an owner would be reset to 1. A second field manager owns the current count until the
 * autoscaler changes it.
 */
export async function handOverReplicas(
  client: Client,
  objects: KubeObject[],
  before: Map<string, KubeObject | undefined>,
) {
  for (const object of objects as Deployment[]) {
    if (object.kind !== 'Deployment' || object.spec?.replicas !== undefined) continue
    const live = before.get(idText(toObjectId(object))) as Deployment | undefined
    // An autoscaler does not scale up from zero.
    const isStopped = live?.spec?.replicas === 0
    if (!live || !(ownsReplicas(live) || isStopped)) continue
    const { name, namespace, uid } = live.metadata
    const scaler = objects.find(
      (each) => each.kind === 'HorizontalPodAutoscaler' && each.metadata.name === name,
    ) as Autoscaler | undefined
    const replicas = Math.max(live.spec?.replicas ?? 1, scaler?.spec?.minReplicas ?? 1)
    const { apiVersion, kind } = object
    const body = { apiVersion, kind, metadata: { name, namespace, uid }, spec: { replicas } }
    await client.apply(getObjectResource(object), body as KubeObject, {
      fieldManager: manager,
      force: true,
    })
  }
}

const ownsReplicas = ({ metadata }: KubeObject) =>
  metadata.managedFields?.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === 'legal-suite-operator' &&
      operation === 'Apply' &&
      fieldsV1?.['f:spec']?.['f:replicas'] !== undefined,
  )
