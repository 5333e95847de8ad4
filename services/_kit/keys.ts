import { sha256Hex } from './hash.ts'

/** The internal key that is sent, and further keys accepted during a rotation. */
export interface Keys {
  current: string
  accepted: readonly string[]
}

/** Returns whether the key is accepted. Compares every key to its end, in constant time. */
export function accepts({ current, accepted }: Keys, candidate: string): boolean {
  let matches = false
  for (const key of [current, ...accepted]) matches = equalInConstantTime(key, candidate) || matches
  return matches
}

export function equalInConstantTime(key: string, candidate: string): boolean {
  let difference = key.length === 0 ? 1 : key.length ^ candidate.length
  for (let i = 0; i < key.length; i++) {
    difference |= key.charCodeAt(i) ^ candidate.charCodeAt(i % (candidate.length || 1))
  }
  return difference === 0
}

/** Public id of a key: the first 12 hex digits of its SHA-256. */
export const keyId = async (key: string) => (await sha256Hex(key)).slice(0, 12)

const defaults = new Set(
  'changeme change-me default secret internal internal-key internal-api-key dev-internal-key <internal_api_key> password test dev'.split(
    ' ',
  ),
)

/** Returns the reason why a key must not be used in production, or null. */
export function weakness(key: string): string | null {
  if (!key) return 'is empty'
  if (defaults.has(key.toLowerCase())) return 'is a well-known default'
  if (key.length < 16) return 'is shorter than 16 characters'
  return null
}

export const splitKeys = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((key) => key.trim())
    .filter(Boolean)
