import { hash32 } from '../_kit/hash.ts'
import { tokenize } from '../_kit/tokenize.ts'

/** Facts are indexed by size, one for each doubling of their words: up to 16, up to 32, … */
export const sizes = [0, 1, 2, 3, 4, 5, 6, 7]

export const sizeOf = (length: number) =>
  Math.min(sizes.length - 1, Math.max(0, Math.ceil(Math.log2(length / 16))))

/**
 * A word as the index knows it. Tenant and user are part of it, so that a user's facts are found
 * without touching anybody else's; so is the fact's size, since in a short fact a word tells more.
 */
export function termsOf(tenant: string, user: string, size: number, words: Iterable<string>) {
  const seed = hash32(`${tenant}\n${user}\n${size}`)
  return Array.from(words, (word) => hash32(word, seed) | 0)
}

/** What is kept of a fact's words: terms to find it by, and a tally to score it by. */
export function index(tenant: string, user: string, entityKey: string, content: string) {
  const all = tokenize(`${entityKey} ${content}`)
  const counts = new Map<string, number>()
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1)
  let tally = digits(all.length)
  for (const [word, count] of counts) tally += digits(hash(word)) + digit(Math.min(count, 63))
  return { terms: termsOf(tenant, user, sizeOf(all.length), counts.keys()), tally }
}

/** How many words a fact has, and how often each of the question's. */
export function makeReader(words: readonly string[]) {
  const places = new Map(words.map((word, place) => [hash(word), place]))
  // Most words of a fact are none of the question's; two digits tell that of nearly all.
  const endings = new Uint8Array(4096)
  for (const word of places.keys()) endings[word & 4095] = 1
  return (tally: string) => {
    const counts = new Array<number>(words.length).fill(0)
    for (let at = 5; at < tally.length; at += 6) {
      const ending = ((tally.charCodeAt(at + 3) - zero) << 6) | (tally.charCodeAt(at + 4) - zero)
      if (endings[ending] === 0) continue
      const place = places.get(number(tally, at))
      if (place !== undefined) counts[place] = tally.charCodeAt(at + 5) - zero
    }
    return { length: number(tally, 0), counts }
  }
}

/** A word as a tally knows it: thirty bits, five digits to the base of 64. */
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
