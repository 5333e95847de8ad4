export type Members = Record<string, unknown>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two JSON values say the same; the order of members says nothing. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => same(each, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]))
  )
}

/** Members that are told replace those that are there; one told to be null is removed. */
export const mergeMembers = (before: Members, told: Members): Members =>
  Object.fromEntries(Object.entries({ ...before, ...told }).filter(([name]) => told[name] !== null))

/** Sections merge by their own members; a section that is no object replaces the one that is there. */
export function mergeSections(before: Members, told: Members): Members {
  const sections = Object.entries(told).map(([name, section]) => {
    if (!isObject(section)) return [name, section]
    const there = own(before, name)
    return [name, mergeMembers(isObject(there) ? there : {}, section)]
  })
  return mergeMembers(before, Object.fromEntries(sections))
}

/** Everything of both lists once, in the order of first mention. */
export const union = (before: readonly string[], added: readonly string[]) => [
  ...new Set([...before, ...added]),
]

/**
 * Tells a keyed list; what is other than before is what changed. A key told twice is told once, the
 * later members over the earlier, so that telling the whole again changes nothing.
 */
export function fold<State, Told extends object>(
  before: ReadonlyMap<string, State>,
  told: readonly Told[],
  keyOf: (told: Told) => string,
  next: (before: State | undefined, told: Told) => State,
) {
  const byKey = new Map<string, Told>()
  for (const each of told) byKey.set(keyOf(each), { ...byKey.get(keyOf(each)), ...each })
  const after = new Map(before)
  for (const [key, each] of byKey) after.set(key, next(after.get(key), each))
  const changed = [...after].filter(([key, state]) => !same(state, before.get(key) ?? null))
  return { after, changed: new Map(changed) }
}

/** The members in which two states differ, as they were and as they are; objects are looked into. */
export function difference(before: Members, after: Members, depth: number) {
  const from: [string, unknown][] = []
  const to: [string, unknown][] = []
  for (const name of union(Object.keys(before), Object.keys(after))) {
    const [old, now] = [own(before, name), own(after, name)]
    if (same(old, now)) continue
    const inner = depth > 0 && isObject(old) && isObject(now) && difference(old, now, depth - 1)
    from.push([name, inner ? inner.from : old])
    to.push([name, inner ? inner.to : now])
  }
  return { from: Object.fromEntries(from), to: Object.fromEntries(to) }
}

/** A member of the value itself, not of what every object has. */
const own = (value: Members, name: string) =>
  Object.hasOwn(value, name) ? (value[name] ?? null) : null
