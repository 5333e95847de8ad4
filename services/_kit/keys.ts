import { sha256Hex } from './hash.ts'

/** The shared internal key: the one we send, and the further ones we accept while it is rotated. */
export interface Keys {
  current: string
  accepted: readonly string[]
}

/** True when the key is one of ours. Looks at every key to its end, so the time taken tells nothing. */
export function accepts({ current, accepted }: Keys, given: string): boolean {
  let found = false
  for (const key of [current, ...accepted]) found = sameText(key, given) || found
  return found
}

function sameText(ours: string, given: string): boolean {
  let difference = ours.length === 0 ? 1 : ours.length ^ given.length
  for (let i = 0; i < ours.length; i++) {
    difference |= ours.charCodeAt(i) ^ given.charCodeAt(i % (given.length || 1))
  }
  return difference === 0
}

/** A key's name in public: the first twelve hex digits of its SHA-256. */
export const keyId = async (key: string) => (await sha256Hex(key)).slice(0, 12)

const defaults = new Set(
  'changeme change-me default secret internal internal-key internal-api-key dev-internal-key <internal_api_key> password test dev'.split(
    ' ',
  ),
)

/** What is wrong with a key in production, or null. */
export function weakness(key: string): string | null {
  if (!key) return 'is empty'
  if (defaults.has(key.toLowerCase())) return 'is a default everybody knows'
  if (key.length < 16) return 'is shorter than 16 characters'
  return null
}

export const splitKeys = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((key) => key.trim())
    .filter(Boolean)
