import { createHash } from 'node:crypto'
import { canonical } from './canonical.ts'
import type { Fields, KubeObject } from './objects.ts'

/** Carries the hash of what was last applied. */
export const appliedAnnotation = 'legalsuite.dev/applied'

/** Of an object's content, whatever the order of its members. */
export function hashOf(object: KubeObject): string {
  return createHash('sha256').update(canonical(object)).digest('base64url').slice(0, 27)
}

/** What each object was found to have been applied as: informers keep it for long, and it never changes. */
const found = new WeakMap<KubeObject, string>()

/**
 * Whether an apply of `wanted` would change nothing. The hash says that this very object was the last one
 * applied; the managed fields say that each of its fields is still ours. Whoever sets a field to something
 * else, or removes it, takes it from us in the managed fields, so what is ours has the value that we gave
 * it. All of this is metadata: the content of a Secret need not be known.
 */
export function isApplied(live: KubeObject, wanted: KubeObject, fieldManager: string): boolean {
  const mark = wanted.metadata.annotations?.[appliedAnnotation]
  if (!mark || live.metadata.annotations?.[appliedAnnotation] !== mark) return false
  const applied = `${fieldManager} ${mark}`
  if (found.get(live) === applied) return true
  const entry = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === 'Apply' && !subresource,
  )
  if (!entry?.fieldsV1 || entry.apiVersion !== wanted.apiVersion) return false
  const { apiVersion: _, kind: __, metadata, ...content } = wanted
  const { name: ___, namespace: ____, uid: _____, ...described } = metadata
  if (!isCovered(entry.fieldsV1, { ...content, metadata: described })) return false
  found.set(live, applied)
  return true
}

/** Whether every field of the value is among the fields. A field without parts is owned as a whole. */
export function isCovered(fields: Fields, value: unknown): boolean {
  if (Object.keys(fields).length === 0 || value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every((item) => isItemCovered(fields, item))
  return Object.entries(value).every(([name, part]) => {
    // An empty list that has keys says nothing, and is not among the fields.
    if (part === undefined || part === null || (Array.isArray(part) && !part.length)) return true
    const own = fields[`f:${name}`]
    return own !== undefined && isCovered(own, part)
  })
}

/**
 * Items of a list are told apart by their value, or by those of their members that are keys. One of which
 * parts are owned has at least `.`; one without parts, like an owner reference, is owned as a whole.
 */
function isItemCovered(fields: Fields, item: unknown): boolean {
  if (item === null || typeof item !== 'object') return `v:${JSON.stringify(item)}` in fields
  const members = item as Record<string, unknown>
  return Object.entries(fields).some(([name, own]) => {
    if (!name.startsWith('k:')) return false
    const keys = JSON.parse(name.slice(2)) as Record<string, unknown>
    // A key that was left out has been given its default by the server.
    const same = Object.entries(keys).every(([key, value]) => (members[key] ?? value) === value)
    const rest = Object.entries(members).filter(([member]) => !(member in keys))
    return same && isCovered(own, Object.fromEntries(rest))
  })
}
