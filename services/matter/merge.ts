export type Members = Record<string, unknown>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Deep equality of JSON values. The order of members is ignored. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((patch, index) => isEqual(patch, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  )
}

/** Replaces members by those of the patch. Null removes a member. */
export const mergePatch = (before: Members, patch: Members): Members =>
  Object.fromEntries(
    Object.entries({ ...before, ...patch }).filter(([name]) => patch[name] !== null),
  )

/** Merges each section by its members. A section that is not an object replaces the existing one. */
export function mergeSections(before: Members, patch: Members): Members {
  const sections = Object.entries(patch).map(([name, section]) => {
    if (!isObject(section)) return [name, section]
    const existing = ownMember(before, name)
    return [name, mergePatch(isObject(existing) ? existing : {}, section)]
  })
  return mergePatch(before, Object.fromEntries(sections))
}

/** Union of both lists in order of first occurrence. */
export const union = (before: readonly string[], added: readonly string[]) => [
  ...new Set([...before, ...added]),
]

/**
 * Applies patches by key and returns all states and the changed ones. Patches with the same key are merged
 * first, later members over earlier ones, so that applying the list twice changes nothing.
 */
export function applyKeyedPatches<State, Patch extends object>(
  before: ReadonlyMap<string, State>,
  patches: readonly Patch[],
  getKey: (patch: Patch) => string,
  next: (before: State | undefined, patch: Patch) => State,
) {
  const byKey = new Map<string, Patch>()
  for (const patch of patches) byKey.set(getKey(patch), { ...byKey.get(getKey(patch)), ...patch })
  const after = new Map(before)
  for (const [key, patch] of byKey) after.set(key, next(after.get(key), patch))
  const changed = [...after].filter(([key, state]) => !isEqual(state, before.get(key) ?? null))
  return { after, changed: new Map(changed) }
}

/** Returns the members that differ, before and after. Descends into objects up to `depth`. */
export function diffMembers(before: Members, after: Members, depth: number) {
  const from: [string, unknown][] = []
  const to: [string, unknown][] = []
  for (const name of union(Object.keys(before), Object.keys(after))) {
    const [old, now] = [ownMember(before, name), ownMember(after, name)]
    if (isEqual(old, now)) continue
    const inner = depth > 0 && isObject(old) && isObject(now) && diffMembers(old, now, depth - 1)
    from.push([name, inner ? inner.from : old])
    to.push([name, inner ? inner.to : now])
  }
  return { from: Object.fromEntries(from), to: Object.fromEntries(to) }
}

/** Own member, without the prototype chain. */
const ownMember = (value: Members, name: string) =>
  Object.hasOwn(value, name) ? (value[name] ?? null) : null
