import type { KubeObject } from './objects.ts'

/** Reference to an applied object, as stored in a status. */
export type ObjectId = {
  /** Empty for the core API. */
  group: string
  version: string
  kind: string
  namespace: string
  name: string
}

export function toObjectId({ apiVersion, kind, metadata }: KubeObject): ObjectId {
  const [version, group = ''] = apiVersion.split('/').reverse()
  const { namespace = '', name } = metadata
  return { group, version: version!, kind, namespace, name }
}

/** Excludes the version, because an object has the same identity in all versions. */
export const idText = ({ group, kind, namespace, name }: ObjectId) =>
  `${group}/${kind}/${namespace}/${name}`

/** Merges without duplicates in a fixed order, so that equal sets are stored equally. */
export function mergeInventories(...inventories: ObjectId[][]): ObjectId[] {
  const all = new Map<string, ObjectId>()
  for (const id of inventories.flat()) all.set(idText(id), id)
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id)
}

export function subtractInventory(inventory: ObjectId[], others: ObjectId[]): ObjectId[] {
  const names = new Set(others.map(idText))
  return inventory.filter((id) => !names.has(idText(id)))
}

const applyOrder = [
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

/** Dependencies come first; kinds without dependents come last. */
export const applyRank = ({ kind }: { kind: string }) =>
  applyOrder.includes(kind) ? applyOrder.indexOf(kind) : applyOrder.length

/** Groups of equal rank, lowest first. */
export function groupByRank<T extends { kind: string }>(items: T[]): T[][] {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const rank = applyRank(item)
    groups.set(rank, [...(groups.get(rank) ?? []), item])
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}
