import { createHash } from 'node:crypto'

/** Incremental SHA-256 of Node and Deno. */
export function nodeSha256() {
  const hash = createHash('sha256')
  return { update: (chunk: Uint8Array) => hash.update(chunk), hex: async () => hash.digest('hex') }
}
