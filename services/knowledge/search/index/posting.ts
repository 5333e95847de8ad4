/** The chunks of a shard are numbered by `seq` from 0 on; a block covers 16,384 of these numbers. */
const blockBits = 14
export const blockSize = 1 << blockBits
export const blockNumber = (seq: number) => seq >>> blockBits

/**
 * A posting is 24 bits in four characters: offset in its block or segment (14), term frequency (4),
 * encoded chunk length (6). Text is the same in every database driver.
 */
export const postingLength = 4
const zero = 48

export const packPosting = (offset: number, count: number, lengthCode: number) =>
  (offset << 10) | (Math.min(count, 15) << 6) | lengthCode

/** Logarithmic code of six bits, exact to about 10 %. */
export const encodeLength = (length: number) => Math.min(63, Math.round(Math.log(length + 1) * 5.6))
export const decodeLength = (code: number) => Math.exp(code / 5.6) - 1

export const postingOffset = (posting: number) => posting >>> 10
export const withOffset = (posting: number, offset: number) => (offset << 10) | (posting & 1023)

const decoder = new TextDecoder()

/** Encodes packed postings as text. */
export function encodePostings(postings: Uint32Array): string {
  const bytes = new Uint8Array(postings.length * postingLength)
  let at = 0
  for (let index = 0; index < postings.length; index++) {
    const value = postings[index]!
    bytes[at++] = zero + (value >>> 18)
    bytes[at++] = zero + ((value >>> 12) & 63)
    bytes[at++] = zero + ((value >>> 6) & 63)
    bytes[at++] = zero + (value & 63)
  }
  return decoder.decode(bytes)
}

export const decodePosting = (entries: string, at: number): number =>
  ((entries.charCodeAt(at) - zero) << 18) |
  ((entries.charCodeAt(at + 1) - zero) << 12) |
  ((entries.charCodeAt(at + 2) - zero) << 6) |
  (entries.charCodeAt(at + 3) - zero)
