const encoder = new TextEncoder()
const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

type Hash = (algorithm: string, text: string, encoding: 'hex') => string
interface ProcessInfo {
  getBuiltinModule?: (name: string) => { hash?: Hash } | undefined
}

/** Synchronous hash of Node and Deno. The Web API takes several times longer for the text of a chunk. */
const hash = (globalThis as { process?: ProcessInfo }).process?.getBuiltinModule?.(
  'node:crypto',
)?.hash

/** SHA-256 of a text, in hex. */
export async function sha256Hex(text: string): Promise<string> {
  if (hash) return hash('sha256', text, 'hex')
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text))
  let hex = ''
  for (const byte of new Uint8Array(digest)) hex += hexBytes[byte]
  return hex
}

/** JSON with sorted member names: equal values have equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortMembers(value))

function sortMembers(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  if (Array.isArray(value)) return value.map(sortMembers)
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    const member = sortMembers((value as Record<string, unknown>)[name])
    if (name === '__proto__') Object.defineProperty(copy, name, { value: member, enumerable: true })
    else copy[name] = member
  }
  return copy
}

/** A 32-bit hash, the same on every runtime: FNV-1a with murmur's finish. */
export function hash32(text: string, seed = 0): number {
  let hash = hashStart ^ seed
  for (let i = 0; i < text.length; i++) hash = addToHash(hash, text.charCodeAt(i))
  return finishHash(hash)
}

/** The steps of `hash32`, for callers that hash parts of a text without copying them. */
export const hashStart = 0x811c9dc5
export const addToHash = (hash: number, unit: number) => Math.imul(hash ^ unit, 0x01000193)
export function finishHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
