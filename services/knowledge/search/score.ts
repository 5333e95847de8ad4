import type { Source } from './entries.ts'
import { type Packed, packedBits, packedBlock } from './packed.ts'
import { lengthOf } from './postings.ts'
import type { WeightedTerm } from './terms.ts'
import { type Scored, Top } from './top.ts'

const k1 = 1.2
const b = 0.75

/** What ranking must know of all chunks that are searched. */
export interface Statistics {
  chunks: number
  words: number
}

/** Places that may be found, by base. */
export type Allowed = ReadonlyMap<number, ReadonlySet<number>>

/**
 * The best chunks by BM25, from the entries of the question's terms, a block of chunks at a time.
 * `allowed` limits the chunks of a base to some places.
 */
export function best(
  terms: readonly WeightedTerm[],
  sources: readonly Source[],
  statistics: Statistics,
  most: number,
  allowed?: Allowed,
): Scored[] {
  const weights = weightsOf(terms, sources, statistics.chunks)
  const shares = sharesOf(statistics)
  const top = new Top(most)
  for (const source of sources) {
    const places = allowed && (allowed.get(source.base) ?? new Set<number>())
    scan(source, weights, shares, top, places)
  }
  return top.sorted()
}

/** Scores the chunks of a base. */
function scan(
  { base, lengths, terms }: Source,
  weights: Float64Array,
  shares: Float64Array,
  top: Top,
  places: ReadonlySet<number> | undefined,
) {
  const sums = new Float64Array(packedBlock)
  const cursors = new Uint32Array(terms.length)
  const blocks = blocksOf(terms)
  for (let nth = 0; nth < blocks.length; nth++) {
    const block = blocks[nth]!
    const first = block << packedBits
    const own = lengths.subarray(first, first + packedBlock)
    sums.fill(0)
    for (let index = 0; index < terms.length; index++) {
      const term = terms[index]!
      let cursor = cursors[index]!
      while (term.blocks[cursor] === block) add(sums, own, shares, weights[index]!, term, cursor++)
      cursors[index] = cursor
    }
    collect(top, base, first, sums, places)
  }
}

/** Adds what a term adds to the chunks of a block, the `at`th of those it is in. */
function add(
  sums: Float64Array,
  lengths: Uint8Array,
  shares: Float64Array,
  weight: number,
  { starts, entries }: Packed,
  at: number,
) {
  const end = starts[at + 1]!
  for (let index = starts[at]!; index < end; index++) {
    const entry = entries[index]!
    const place = entry >>> 4
    sums[place]! += weight * shares[((entry & 15) << 6) | lengths[place]!]!
  }
}

function collect(
  top: Top,
  base: number,
  first: number,
  sums: Float64Array,
  places: ReadonlySet<number> | undefined,
) {
  let { threshold } = top
  for (let place = 0; place < sums.length; place++) {
    const score = sums[place]!
    if (score > threshold && (!places || places.has(first + place))) {
      threshold = top.add(base, first + place, score)
    }
  }
}

/** What a term weighs: by the question, and by how few chunks have it. */
function weightsOf(
  terms: readonly WeightedTerm[],
  sources: readonly Source[],
  chunks: number,
): Float64Array {
  const weights = terms.map(({ weight }, index) => {
    const n = sources.reduce((sum, source) => sum + source.terms[index]!.entries.length, 0)
    return weight * Math.log(1 + (Math.max(chunks, n) - n + 0.5) / (n + 0.5))
  })
  return Float64Array.from(weights)
}

/** How much of its weight a term adds, for each count and length that an entry can tell. */
function sharesOf({ chunks, words }: Statistics): Float64Array {
  const average = words / Math.max(chunks, 1) || 1
  const norms = Array.from(
    { length: 64 },
    (_, code) => k1 * (1 - b + (b * lengthOf(code)) / average),
  )
  const shares = new Float64Array(1024)
  for (let value = 0; value < shares.length; value++) {
    const count = value >>> 6
    shares[value] = (count * (k1 + 1)) / (count + norms[value & 63]!)
  }
  return shares
}

/** The blocks that any of the terms is in, ascending. */
function blocksOf(terms: readonly Packed[]): number[] {
  const last = terms.reduce((last, { blocks }) => Math.max(last, blocks.at(-1) ?? -1), -1)
  const touched = new Uint8Array(last + 1)
  for (const { blocks } of terms) {
    for (let index = 0; index < blocks.length; index++) touched[blocks[index]!] = 1
  }
  const found: number[] = []
  for (let block = 0; block <= last; block++) if (touched[block]) found.push(block)
  return found
}
