import { hash32 } from '../_kit/hash.ts'
import { tokenize } from '../_kit/tokenize.ts'

/** Facts are indexed by size, one for each doubling of their words: up to 16, up to 32, … */
export const lengthBuckets = [0, 1, 2, 3, 4, 5, 6, 7]

export const lengthBucket = (length: number) =>
  Math.min(lengthBuckets.length - 1, Math.max(0, Math.ceil(Math.log2(length / 16))))

/**
 * A word as the index knows it. Tenant and user are part of it, so that a user's facts are found
 * without touching anybody else's; so is the fact's size, since in a short fact a word tells more.
 */
export function indexTerms(tenant: string, user: string, bucket: number, words: Iterable<string>) {
  const seed = hash32(`${tenant}\n${user}\n${bucket}`)
  return Array.from(words, (word) => hash32(word, seed) | 0)
}

/** What is kept of a fact's words: terms to find it by, and a termCounts to score it by. */
export function indexFact(tenant: string, user: string, entityKey: string, content: string) {
  const tokens = tokenize(`${entityKey} ${content}`)
  const counts = new Map<string, number>()
  for (const word of tokens) counts.set(word, (counts.get(word) ?? 0) + 1)
  let termCounts = digits(tokens.length)
  for (const [word, count] of counts) termCounts += digits(hash(word)) + digit(Math.min(count, 63))
  return { terms: indexTerms(tenant, user, lengthBucket(tokens.length), counts.keys()), termCounts }
}

/** How many words a fact has, and how often each of the question's. */
export function makeTermCountDecoder(words: readonly string[]) {
  const termIndexes = new Map(words.map((word, termIndex) => [hash(word), termIndex]))
  // Most words of a fact are none of the question's; two digits tell that of nearly all.
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

/** A word as a termCounts knows it: thirty bits, five digits to the base of 64. */
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
