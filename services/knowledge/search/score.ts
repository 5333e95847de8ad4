import { blockSize, lengthOf, placeOf } from './postings.ts'
import type { WeightedTerm } from './terms.ts'
import { type Scored, Top } from './top.ts'

const k1 = 1.2
const b = 0.75

/** What ranking must know of all chunks that are searched. */
export interface Statistics {
  chunks: number
  words: number
}

export interface TermEntries {
  base: number
  block: number
  term: number
  entries: Uint32Array
}

/**
 * The best chunks by BM25, from the entries of the question's terms. `allowed` limits the chunks of a
 * base to some places.
 */
export function best(
  terms: readonly WeightedTerm[],
  entries: readonly TermEntries[],
  statistics: Statistics,
  most: number,
  allowed?: ReadonlyMap<number, ReadonlySet<number>>,
): Scored[] {
  const tables = tablesOf(terms, entries, statistics)
  const top = new Top(most)
  const sums = new Float32Array(blockSize)
  for (const rows of byBlock(entries)) {
    const { base, block } = rows[0]!
    sums.fill(0)
    for (const row of rows) add(sums, row.entries, tables.get(row.term)!)
    const places = allowed && (allowed.get(base) ?? new Set<number>())
    const first = block * blockSize
    for (let place = 0; place < blockSize; place++) {
      const score = sums[place]!
      if (score > top.threshold && (!places || places.has(first + place))) {
        top.add({ base, seq: first + place, score })
      }
    }
  }
  return top.sorted()
}

function add(sums: Float32Array, entries: Uint32Array, table: Float32Array) {
  for (let index = 0; index < entries.length; index++) {
    const value = entries[index]!
    sums[placeOf(value)]! += table[value & 1023]!
  }
}

/** What a term adds to a chunk's score, for each count and length that an entry can tell. */
function tablesOf(
  terms: readonly WeightedTerm[],
  entries: readonly TermEntries[],
  { chunks, words }: Statistics,
) {
  const having = new Map<number, number>()
  for (const row of entries) {
    having.set(row.term, (having.get(row.term) ?? 0) + row.entries.length)
  }
  const average = words / Math.max(chunks, 1) || 1
  const norms = Array.from(
    { length: 64 },
    (_, code) => k1 * (1 - b + (b * lengthOf(code)) / average),
  )
  return new Map(
    terms.map(({ id, weight }) => {
      const n = having.get(id) ?? 0
      const rarity = Math.log(1 + (Math.max(chunks, n) - n + 0.5) / (n + 0.5))
      const table = new Float32Array(1024)
      for (let value = 0; value < 1024; value++) {
        const count = value >>> 6
        table[value] = (weight * rarity * count * (k1 + 1)) / (count + norms[value & 63]!)
      }
      return [id, table]
    }),
  )
}

function byBlock(entries: readonly TermEntries[]): TermEntries[][] {
  const blocks = new Map<string, TermEntries[]>()
  for (const row of entries) {
    const key = `${row.base} ${row.block}`
    const rows = blocks.get(key)
    if (rows) rows.push(row)
    else blocks.set(key, [row])
  }
  return [...blocks.values()]
}
