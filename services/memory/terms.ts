import { hash32 } from '../_kit/hash.ts'
import { tokenize } from '../_kit/tokenize.ts'

/** Length buckets of the index, one per doubling of the token count: up to 16, up to 32, … */
export const lengthBuckets = [0, 1, 2, 3, 4, 5, 6, 7]

export const lengthBucket = (length: number) =>
  Math.min(lengthBuckets.length - 1, Math.max(0, Math.ceil(Math.log2(length / 16))))

/**
 * Hashes words to index terms. The hash includes tenant and user, so that a query reads only the facts of
 * one user, and the length bucket, because a term weighs more in a short fact.
 */
export function indexTerms(tenant: string, user: string, bucket: number, words: Iterable<string>) {
  const seed = hash32(`${tenant}\n${user}\n${bucket}`)
  return Array.from(words, (word) => hash32(word, seed) | 0)
}

/** Builds the index columns of a fact: terms to find it, encoded term counts to score it. */
export function indexFact(tenant: string, user: string, entityKey: string, content: string) {
  const tokens = tokenize(`${entityKey} ${content}`)
  const counts = new Map<string, number>()
  for (const word of tokens) counts.set(word, (counts.get(word) ?? 0) + 1)
  let termCounts = digits(tokens.length)
  for (const [word, count] of counts) termCounts += digits(hash(word)) + digit(Math.min(count, 63))
  return { terms: indexTerms(tenant, user, lengthBucket(tokens.length), counts.keys()), termCounts }
}

/** Makes a decoder of encoded term counts for the given query terms. */
export function makeTermCountDecoder(words: readonly string[]) {
  const termIndexes = new Map(words.map((word, termIndex) => [hash(word), termIndex]))
  // Most terms are not in the query; 12 bits reject nearly all of them.
  const lowBits = new Uint8Array(4096)
  for (const word of termIndexes.keys()) lowBits[word & 4095] = 1
  return (termCounts: string) => {
    const counts = new Array<number>(words.length).fill(0)
    for (let at = 5; at < termCounts.length; at += 6) {
      const low =
        ((termCounts.charCodeAt(at + 3) - zero) << 6) | (termCounts.charCodeAt(at + 4) - zero)
      if (lowBits[low] === 0) continue
      const termIndex = termIndexes.get(number(termCounts, at))
      if (termIndex !== undefined) counts[termIndex] = termCounts.charCodeAt(at + 5) - zero
    }
    return { length: number(termCounts, 0), counts }
  }
}

/** Hash of a word in the encoding: 30 bits, five base-64 digits. */
const hash = (word: string) => hash32(word) >>> 2

const zero = 48
const digit = (value: number) => String.fromCharCode(zero + (value & 63))
const digits = (value: number) =>
  String.fromCharCode(
    zero + (value >>> 24),
    zero + ((value >>> 18) & 63),
    zero + ((value >>> 12) & 63),
    zero + ((value >>> 6) & 63),
    zero + (value & 63),
  )

function number(text: string, at: number): number {
  let value = 0
  for (let i = at; i < at + 5; i++) value = (value << 6) | (text.charCodeAt(i) - zero)
  return value
}
