import type { Fields, KubeObject } from './objects.ts'

/** A field of an object that another field manager added. */
export interface AddedField {
  manager: string
  /** Steps of the managed fields, for example `f:env` and `k:{"name":"DEBUG"}`. */
  path: string[]
}

/**
 * Returns the fields below `spec` that others added to an object and that this manager does not set. A changed
 * field of this manager is not among them: the next apply restores it. Names of managers that start with
 * `fieldManager` belong to this manager too.
 */
export function addedFields({ metadata }: KubeObject, fieldManager: string): AddedField[] {
  const entries = metadata.managedFields ?? []
  const own = entries.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === 'Apply' && !subresource,
  )
  if (!own?.fieldsV1) return []
  const added: AddedField[] = []
  for (const { manager = '', subresource, fieldsV1 } of entries) {
    if (subresource || manager.startsWith(fieldManager)) continue
    for (const path of pathsOutside(fieldsV1?.['f:spec'] ?? {}, own.fieldsV1['f:spec'] ?? {}))
      added.push({ manager, path })
  }
  return added
}

/** The shortest paths of `theirs` that `own` does not contain. A field without children is owned as a whole. */
function* pathsOutside(theirs: Fields, own: Fields, path: string[] = []): Generator<string[]> {
  for (const [step, below] of Object.entries(theirs)) {
    if (step === '.') continue
    const ownBelow = own[step]
    if (!ownBelow) yield [...path, step]
    else if (Object.keys(ownBelow).length > 0) yield* pathsOutside(below, ownBelow, [...path, step])
  }
}

/** Formats a path: `spec.template.spec.containers[memory].env[DEBUG]`. */
export const fieldText = (path: string[]) =>
  path.reduce((text, step) => {
    if (step.startsWith('f:')) return `${text}.${step.slice(2)}`
    const key: unknown = JSON.parse(step.slice(2))
    const values = key !== null && typeof key === 'object' ? Object.values(key) : [key]
    return `${text}[${values.join(',')}]`
  }, 'spec')

/**
 * Builds a merge patch of the spec that removes fields. A merge patch cannot remove one item of a list, so
 * it replaces the outermost list by the desired one.
 */
export function removalPatch(paths: string[][], desiredSpec: object): object {
  const patch: Members = {}
  for (const path of paths) {
    let node = patch
    let desired = desiredSpec as Members | undefined
    for (const [index, step] of path.entries()) {
      const name = step.slice(2)
      if (Array.isArray(node[name])) break
      if (!path[index + 1]?.startsWith('f:')) {
        node[name] = desired?.[name] ?? null
        break
      }
      node[name] ??= {}
      node = node[name] as Members
      desired = desired?.[name] as Members | undefined
    }
  }
  return patch
}

type Members = Record<string, unknown>
