/** True when the value has a member of this name, at whatever depth. */
export function hasKeyDeep(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => hasKeyDeep(item, name))
  return Object.hasOwn(value, name) || Object.values(value).some((each) => hasKeyDeep(each, name))
}

/** The value without members of this name. Hardly any has one, so nothing is copied before it is known. */
export function omitKeyDeep<T>(value: T, name: string): T {
  if (!hasKeyDeep(value, name)) return value
  if (Array.isArray(value)) return value.map((item) => omitKeyDeep(item, name)) as T
  const kept = Object.entries(value as object).filter(([each]) => each !== name)
  return Object.fromEntries(kept.map(([each, member]) => [each, omitKeyDeep(member, name)])) as T
}
