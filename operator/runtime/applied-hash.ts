import { createHash } from 'node:crypto'
import { canonical } from './canonical.ts'
import type { Fields, KubeObject } from './objects.ts'

/** Annotation with the hash of the last applied object. */
export const appliedAnnotation = 'legalsuite.dev/applied'

export function contentHash(object: KubeObject): string {
  return createHash('sha256').update(canonical(object)).digest('base64url').slice(0, 27)
}

/** Cached results. Cached objects are immutable and live long in informers. */
const verified = new WeakMap<KubeObject, string>()

/**
 * Returns whether an apply of `desired` would change nothing. The hash shows that the same object was applied
 * last; the managed fields show that all its fields are still owned. A writer who changes or removes a field
 * takes its ownership. Only metadata is needed, so the content of a Secret is never read.
 */
export function isUpToDate(live: KubeObject, desired: KubeObject, fieldManager: string): boolean {
  const hash = desired.metadata.annotations?.[appliedAnnotation]
  if (!hash || live.metadata.annotations?.[appliedAnnotation] !== hash) return false
  const appliedBy = `${fieldManager} ${hash}`
  if (verified.get(live) === appliedBy) return true
  const entry = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === 'Apply' && !subresource,
  )
  if (!entry?.fieldsV1 || entry.apiVersion !== desired.apiVersion) return false
  const { apiVersion: _, kind: __, metadata, ...content } = desired
  const { name: ___, namespace: ____, uid: _____, ...described } = metadata
  if (!ownsAllFields(entry.fieldsV1, { ...content, metadata: described })) return false
  verified.set(live, appliedBy)
  return true
}

/** Returns whether all fields of the value are owned. A field without children is owned as a whole. */
export function ownsAllFields(fields: Fields, value: unknown): boolean {
  if (Object.keys(fields).length === 0 || value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every((item) => ownsItem(fields, item))
  return Object.entries(value).every(([name, part]) => {
    // An empty keyed list has no entry in the managed fields.
    if (part === undefined || part === null || (Array.isArray(part) && !part.length)) return true
    const own = fields[`f:${name}`]
    return own !== undefined && ownsAllFields(own, part)
  })
}

/**
 * Finds the list item by value (`v:`) or by its keys (`k:`). An item with partly owned fields has `.`; an
 * item without children is owned as a whole.
 */
function ownsItem(fields: Fields, item: unknown): boolean {
  if (item === null || typeof item !== 'object') return `v:${JSON.stringify(item)}` in fields
  const members = item as Record<string, unknown>
  return Object.entries(fields).some(([name, own]) => {
    if (!name.startsWith('k:')) return false
    const keys = JSON.parse(name.slice(2)) as Record<string, unknown>
    // The API server sets defaults for omitted keys.
    const same = Object.entries(keys).every(([key, value]) => (members[key] ?? value) === value)
    const rest = Object.entries(members).filter(([member]) => !(member in keys))
    return same && ownsAllFields(own, Object.fromEntries(rest))
  })
}
