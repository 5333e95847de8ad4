export type Members = Record<string, unknown>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two JSON values say the same; the order of members says nothing. */
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

/** Members that are told replace those that are there; one told to be null is removed. */
export const mergePatch = (before: Members, patch: Members): Members =>
  Object.fromEntries(
    Object.entries({ ...before, ...patch }).filter(([name]) => patch[name] !== null),
  )

/** Sections merge by their own members; a section that is no object replaces the one that is there. */
export function mergeSections(before: Members, patch: Members): Members {
  const sections = Object.entries(patch).map(([name, section]) => {
    if (!isObject(section)) return [name, section]
    const existing = ownMember(before, name)
    return [name, mergePatch(isObject(existing) ? existing : {}, section)]
  })
  return mergePatch(before, Object.fromEntries(sections))
}

/** Everything of both lists once, in the order of first mention. */
export const union = (before: readonly string[], added: readonly string[]) => [
  ...new Set([...before, ...added]),
]

/**
 * Tells a keyed list; what is other than before is what changed. A key told twice is told once, the
 * later members over the earlier, so that telling the whole again changes nothing.
 */
export function applyKeyedPatches<State, Patch extends object>(
  before: ReadonlyMap<string, State>,
  patches: readonly Patch[],
  keyOf: (patch: Patch) => string,
  next: (before: State | undefined, patch: Patch) => State,
) {
  const byKey = new Map<string, Patch>()
  for (const patch of patches) byKey.set(keyOf(patch), { ...byKey.get(keyOf(patch)), ...patch })
  const after = new Map(before)
  for (const [key, patch] of byKey) after.set(key, next(after.get(key), patch))
  const changed = [...after].filter(([key, state]) => !isEqual(state, before.get(key) ?? null))
  return { after, changed: new Map(changed) }
}

/** The members in which two states differ, as they were and as they are; objects are looked into. */
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

/** A member of the value itself, not of what every object has. */
const ownMember = (value: Members, name: string) =>
  Object.hasOwn(value, name) ? (value[name] ?? null) : null
