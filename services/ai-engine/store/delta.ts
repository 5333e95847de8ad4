/**
 * Changes of the state by a step. Nodes return a new state that shares unchanged parts with the old one,
 * so the cost of a diff depends on the changes, not on the size of the state.
 */
export type Delta = Op[]

/** Sets the member at a path, removes it, or appends to a list. */
export type Op = ['set', Path, unknown] | ['remove', Path] | ['add', Path, unknown[]]
type Path = string[]

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads an own member; inherited members such as `__proto__` are ignored. */
const ownMember = (tree: Tree, name: string) => (Object.hasOwn(tree, name) ? tree[name] : undefined)

export function diff(before: unknown, after: unknown): Delta {
  const delta: Delta = []
  compare(before, after, [], delta)
  return delta
}

function compare(before: unknown, after: unknown, path: Path, delta: Delta): void {
  if (before === after) return
  if (isTree(before) && isTree(after)) {
    for (const name of Object.keys(before)) {
      if (ownMember(after, name) === undefined && ownMember(before, name) !== undefined)
        delta.push(['remove', [...path, name]])
    }
    for (const [name, value] of Object.entries(after)) {
      if (value !== undefined) compare(ownMember(before, name), value, [...path, name], delta)
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    if (isEqual(before, after)) return
    const grew =
      after.length > before.length && before.every((item, index) => isEqual(item, after[index]))
    delta.push(grew ? ['add', path, after.slice(before.length)] : ['set', path, after])
  } else {
    delta.push(['set', path, after])
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  return isTree(a) && isTree(b) && diff(a, b).length === 0
}

/** Applies a delta. Untouched parts are shared with the old state. */
export const patch = <T>(state: T, delta: Delta): T => delta.reduce<unknown>(applyOp, state) as T

function applyOp(state: unknown, op: Op): unknown {
  const [kind, path] = op
  if (path.length === 0) return kind === 'set' ? op[2] : state
  return updateAt(state, path, (old) => {
    if (kind === 'set') return op[2]
    if (kind === 'remove') return undefined
    return [...(Array.isArray(old) ? old : []), ...op[2]]
  })
}

function updateAt(tree: unknown, path: Path, change: (old: unknown) => unknown): Tree {
  const [name, ...rest] = path as [string, ...Path]
  const before = isTree(tree) ? tree : {}
  const old = ownMember(before, name)
  const value = rest.length === 0 ? change(old) : updateAt(old, rest, change)
  if (value !== undefined) return { ...before, [name]: value }
  const { [name]: _, ...others } = before
  return others
}
