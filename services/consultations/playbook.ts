import * as z from 'zod'

const retired = 'playbook_config'

/** `playbook_config` passes neither way, however deep it lies. */
export function withoutPlaybook<T>(value: T): T {
  if (!holdsPlaybook(value)) return value
  if (Array.isArray(value)) return value.map(withoutPlaybook) as T
  const kept = Object.entries(value as object).filter(([name]) => name !== retired)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutPlaybook(member)])) as T
}

/** Hardly anything does, so nothing is copied before it is known. */
function holdsPlaybook(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsPlaybook)
  return Object.hasOwn(value, retired) || Object.values(value).some(holdsPlaybook)
}

/** A request's body: every endpoint of this service takes its own through this. */
export const taken = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(withoutPlaybook, schema)
