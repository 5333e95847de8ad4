import type { Client } from '../runtime/client.ts'
import { idOf, idText } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { resourceOfObject } from '../runtime/resources.ts'

type Deployment = KubeObject & { spec?: { replicas?: number } }
type Autoscaler = KubeObject & { spec?: { minReplicas?: number } }

const manager = 'legal-suite-operator-scale'

/**
 * A Deployment that gets an autoscaler no longer says how many replicas it has. If nobody else said so,
 * that would be one, and what runs would be stopped; so another name of ours says it first, and the
 * autoscaler takes it over from there. It does nothing for one that sleeps: that one is woken.
 */
export async function handOver(
  client: Client,
  objects: KubeObject[],
  before: Map<string, KubeObject | undefined>,
) {
  for (const object of objects as Deployment[]) {
    if (object.kind !== 'Deployment' || object.spec?.replicas !== undefined) continue
    const live = before.get(idText(idOf(object))) as Deployment | undefined
    if (!live || !saidByUs(live)) continue
    const { name, namespace, uid } = live.metadata
    const scaler = objects.find(
      (each) => each.kind === 'HorizontalPodAutoscaler' && each.metadata.name === name,
    ) as Autoscaler | undefined
    const replicas = Math.max(live.spec?.replicas ?? 1, scaler?.spec?.minReplicas ?? 1)
    const { apiVersion, kind } = object
    const body = { apiVersion, kind, metadata: { name, namespace, uid }, spec: { replicas } }
    await client.apply(resourceOfObject(object), body as KubeObject, {
      fieldManager: manager,
      force: true,
    })
  }
}

const saidByUs = ({ metadata }: KubeObject) =>
  metadata.managedFields?.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === 'legal-suite-operator' &&
      operation === 'Apply' &&
      fieldsV1?.['f:spec']?.['f:replicas'] !== undefined,
  )
