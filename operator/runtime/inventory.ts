import type { KubeObject } from './objects.ts'

/** An object that was applied, as an inventory in a status names it. */
export type ObjectId = {
  /** Empty for the core API. */
  group: string
  version: string
  kind: string
  namespace: string
  name: string
}

export function idOf({ apiVersion, kind, metadata }: KubeObject): ObjectId {
  const [version, group = ''] = apiVersion.split('/').reverse()
  const { namespace = '', name } = metadata
  return { group, version: version!, kind, namespace, name }
}

/** The version is left out: an object stays itself when it is asked for in another one. */
export const idText = ({ group, kind, namespace, name }: ObjectId) =>
  `${group}/${kind}/${namespace}/${name}`

/** Each object once and in a fixed order, so that the same set is always written the same way. */
export function merged(...inventories: ObjectId[][]): ObjectId[] {
  const all = new Map<string, ObjectId>()
  for (const id of inventories.flat()) all.set(idText(id), id)
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id)
}

export function without(inventory: ObjectId[], others: ObjectId[]): ObjectId[] {
  const names = new Set(others.map(idText))
  return inventory.filter((id) => !names.has(idText(id)))
}

const order = [
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'NetworkPolicy',
  'Secret',
  'ConfigMap',
  'PersistentVolumeClaim',
  'Service',
  'Cluster',
  'StatefulSet',
  'Job',
  'Deployment',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'CronJob',
]

/** What others need comes first; kinds that nothing waits for come last, together. */
export const rankOf = ({ kind }: { kind: string }) =>
  order.includes(kind) ? order.indexOf(kind) : order.length

/** Groups of equal rank, lowest first. */
export function ranked<T extends { kind: string }>(things: T[]): T[][] {
  const groups = new Map<number, T[]>()
  for (const thing of things) {
    const rank = rankOf(thing)
    groups.set(rank, [...(groups.get(rank) ?? []), thing])
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}
