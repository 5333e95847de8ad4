import type { Fields, KubeObject, ManagedFields } from '../objects.ts'

/**
 * Server-side apply on objects flattened to paths and values. The API server knows keyed lists by schema;
 * here the field name decides.
 */
const listKeys: Record<string, string[]> = {
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  initContainers: ['name'],
  ownerReferences: ['uid'],
  volumes: ['name'],
}
const setFields = ['finalizers']
const systemFields = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
]

type Leaves = Map<string, unknown>
const member = Symbol('an item of a list, whatever is in it')

function collectLeaves(value: unknown, path: string[] = [], leaves: Leaves = new Map()): Leaves {
  const name = path.at(-1)?.slice(2) ?? ''
  const at = JSON.stringify(path)
  if (Array.isArray(value) && listKeys[name] && value.length) {
    for (const item of value as Record<string, unknown>[]) {
      const keys = Object.fromEntries(listKeys[name].map((key) => [key, item[key]]))
      const inner = [...path, `k:${JSON.stringify(keys)}`]
      leaves.set(JSON.stringify(inner), member)
      collectLeaves(item, inner, leaves)
    }
  } else if (Array.isArray(value) && setFields.includes(name)) {
    for (const item of value)
      leaves.set(JSON.stringify([...path, `v:${JSON.stringify(item)}`]), member)
  } else if (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).length
  ) {
    for (const [key, part] of Object.entries(value))
      collectLeaves(part, [...path, `f:${key}`], leaves)
  } else if (path.length && value !== undefined && value !== null) {
    leaves.set(at, value)
  }
  return leaves
}

function leavesToObject(leaves: Leaves): Record<string, unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: maps and lists of any depth.
  const root: any = {}
  for (const [at, value] of leaves) {
    let node = root
    const path: string[] = JSON.parse(at)
    path.forEach((step, index) => {
      const last = index === path.length - 1
      const next = path[index + 1]
      if (step.startsWith('v:')) node.push(JSON.parse(step.slice(2)))
      else if (step.startsWith('k:')) {
        const keys = JSON.parse(step.slice(2))
        const same = (item: Record<string, unknown>) =>
          Object.entries(keys).every(([key, of]) => item[key] === of)
        if (!node.some(same)) node.push({ ...keys })
        node = node.find(same)
      } else {
        const key = step.slice(2)
        if (last) node[key] = value
        else {
          const container = next!.startsWith('f:') ? {} : []
          if (typeof node[key] !== 'object') node[key] = container
          node = node[key]
        }
      }
    })
  }
  return root
}

/** The managed part of an object: its status, or everything else. */
function ownedContent(object: KubeObject, status: boolean): Record<string, unknown> {
  const { apiVersion: _, kind: __, metadata, status: currentStatus, ...rest } = object
  if (status) return currentStatus === undefined ? {} : { status: currentStatus }
  const descriptive = Object.entries(metadata).filter(([name]) => !systemFields.includes(name))
  return descriptive.length ? { ...rest, metadata: Object.fromEntries(descriptive) } : rest
}

function withContent(
  object: KubeObject,
  content: Record<string, unknown>,
  status: boolean,
): KubeObject {
  const { apiVersion, kind, metadata } = object
  if (status) return { ...object, ...content }
  const systemEntries = Object.entries(metadata).filter(([name]) => systemFields.includes(name))
  const currentStatus = object.status === undefined ? {} : { status: object.status }
  const { metadata: descriptive = {}, ...rest } = content
  return {
    apiVersion,
    kind,
    ...rest,
    ...currentStatus,
    metadata: {
      ...Object.fromEntries(systemEntries),
      ...(descriptive as object),
    } as KubeObject['metadata'],
  }
}

type Manager = { manager: string; operation: 'Apply' | 'Update'; subresource?: string }
type Managers = { entry: ManagedFields; paths: Set<string> }[]

const parseManagers = (object: KubeObject): Managers =>
  (object.metadata.managedFields ?? []).map((entry) => ({
    entry,
    paths: new Set(pathsIn(entry.fieldsV1 ?? {})),
  }))

function* pathsIn(fields: Fields, path: string[] = []): Generator<string> {
  const inner = Object.keys(fields).filter((step) => step !== '.')
  if (path.length && (inner.length === 0 || '.' in fields)) yield JSON.stringify(path)
  for (const step of inner) yield* pathsIn(fields[step]!, [...path, step])
}

function fieldsFrom(paths: Iterable<string>): Fields {
  const root: Fields = {}
  for (const at of paths) {
    let node = root
    const path: string[] = JSON.parse(at)
    for (const step of path) {
      node[step] ??= {}
      node = node[step]
    }
    node['.'] = {}
  }
  return withoutMarkers(root)
}

const withoutMarkers = (fields: Fields): Fields => {
  const inner = Object.entries(fields).filter(([step]) => step !== '.')
  if (inner.length === 0) return {}
  return Object.fromEntries(Object.entries(fields).map(([step, of]) => [step, withoutMarkers(of)]))
}

function withManagers(object: KubeObject, managers: Managers): KubeObject {
  const managedFields = managers
    .filter(({ paths }) => paths.size)
    .map(({ entry, paths }) => ({ ...entry, fieldsType: 'FieldsV1', fieldsV1: fieldsFrom(paths) }))
  return { ...object, metadata: { ...object.metadata, managedFields } }
}

function pathsFor(managers: Managers, by: Manager, apiVersion: string): Set<string> {
  const existing = managers.find(
    ({ entry }) =>
      entry.manager === by.manager &&
      entry.operation === by.operation &&
      entry.subresource === by.subresource,
  )
  if (existing) return existing.paths
  const paths = new Set<string>()
  managers.push({ entry: { ...by, apiVersion }, paths })
  return paths
}

/** Another manager owns fields with different values and force is not set. */
export class ApplyConflict extends Error {}

export function applyObject(
  live: KubeObject,
  body: KubeObject,
  manager: string,
  force: boolean,
  status: boolean,
): KubeObject {
  const leaves = collectLeaves(ownedContent(live, status))
  const desired = collectLeaves(ownedContent(body, status))
  const managers = parseManagers(live)
  const own = pathsFor(
    managers,
    { manager, operation: 'Apply', ...(status ? { subresource: 'status' } : {}) },
    body.apiVersion,
  )
  const others = managers.filter(({ paths }) => paths !== own)
  const differs = (at: string) => JSON.stringify(leaves.get(at)) !== JSON.stringify(desired.get(at))
  for (const { entry, paths } of others) {
    const disputed = [...desired.keys()].filter((at) => paths.has(at) && differs(at))
    if (disputed.length && !force)
      throw new ApplyConflict(`conflict with "${entry.manager}": ${disputed.join(', ')}`)
    for (const at of disputed) paths.delete(at)
  }
  for (const at of own) {
    if (!desired.has(at) && !others.some(({ paths }) => paths.has(at))) leaves.delete(at)
  }
  own.clear()
  for (const [at, value] of desired) {
    leaves.set(at, value)
    own.add(at)
  }
  return withManagers(withContent(live, leavesToObject(leaves), status), managers)
}

/** Updates the whole object. The writer takes ownership of the changed fields. */
export function updateObject(
  live: KubeObject,
  next: KubeObject,
  manager: string,
  status: boolean,
): KubeObject {
  const before = collectLeaves(ownedContent(live, status))
  const after = collectLeaves(ownedContent(next, status))
  const managers = parseManagers(live)
  const own = pathsFor(
    managers,
    { manager, operation: 'Update', ...(status ? { subresource: 'status' } : {}) },
    next.apiVersion,
  )
  for (const at of new Set([...before.keys(), ...after.keys()])) {
    if (
      JSON.stringify(before.get(at)) === JSON.stringify(after.get(at)) &&
      after.has(at) === before.has(at)
    )
      continue
    for (const { paths } of managers) paths.delete(at)
    if (after.has(at)) own.add(at)
  }
  return withManagers(withContent(live, ownedContent(next, status), status), managers)
}
