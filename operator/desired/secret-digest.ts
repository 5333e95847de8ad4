import { createHash } from 'node:crypto'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Digest of a Secret entry under a key, both in base64. The outer hash prevents extensions of the value. HMAC
 * would serve as well, but a chart cannot compute it, and the chart has to write the same pod templates.
 */
export const secretDigest = (key: string, value: string) => sha256(key + sha256(key + value))
