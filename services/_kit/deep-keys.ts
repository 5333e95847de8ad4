/** Returns whether the value has a member of this name at any depth. */
export function hasKeyDeep(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => hasKeyDeep(item, name))
  return Object.hasOwn(value, name) || Object.values(value).some((each) => hasKeyDeep(each, name))
}

/** Removes members of this name at any depth. A value without one is returned as is, without a copy. */
export function omitKeyDeep<T>(value: T, name: string): T {
  if (!hasKeyDeep(value, name)) return value
  if (Array.isArray(value)) return value.map((item) => omitKeyDeep(item, name)) as T
  const members = Object.entries(value as object).filter(([each]) => each !== name)
  return Object.fromEntries(members.map(([each, member]) => [each, omitKeyDeep(member, name)])) as T
}
