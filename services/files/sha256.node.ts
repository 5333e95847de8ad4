import { createHash } from 'node:crypto'
import type { Sha256 } from './sha256.ts'

export function nodeSha256(): Sha256 {
  const hash = createHash('sha256')
  return { update: (chunk) => hash.update(chunk), hex: async () => hash.digest('hex') }
}
