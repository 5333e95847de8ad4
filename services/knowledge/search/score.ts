import type { Source } from './entries.ts'
import { countAt, type Packed, packedBits, packedBlock } from './packed.ts'
import { lengthOf } from './postings.ts'
import type { WeightedTerm } from './terms.ts'
import { largest, type Scored, Top } from './top.ts'

const k1 = 1.2
const b = 0.75

/** What ranking must know of all chunks that are searched. */
export interface Statistics {
  chunks: number
  words: number
}

/** Places that may be found, by base. */
export type Allowed = ReadonlyMap<number, ReadonlySet<number>>

/** From so many chunks on, words that more than an eighth of them have are common. */
const large = 16_384
const commonShare = 1 / 8
/** So many are found by the rarer words for `most` to be the best by all. */
const reserve = (most: number) => most + 500

/**
 * The best chunks by BM25, from the entries of the question's terms, a block of chunks at a time.
 * `allowed` limits the chunks of a base to some places. Common words are most of the entries and the
 * least of the scores: where rarer ones find enough, those are read for what they found alone.
 */
export function best(
  terms: readonly WeightedTerm[],
  sources: readonly Source[],
  statistics: Statistics,
  most: number,
  allowed?: Allowed,
): Scored[] {
  const sizes = terms.map((_, index) =>
    sources.reduce((sum, source) => sum + source.terms[index]!.entries.length, 0),
  )
  const weights = weightsOf(terms, sizes, statistics.chunks)
  const shares = sharesOf(statistics)
  const bestBy = (chosen: readonly number[], count: number) => {
    const top = new Top(count)
    const own = Float64Array.from(chosen, (index) => weights[index]!)
    for (const source of sources) {
      const places = allowed && (allowed.get(source.base) ?? new Set<number>())
      scan(only(source, chosen), own, shares, top, places)
    }
    return top
  }
  const all = terms.map((_, index) => index)
  const isCommon = (index: number) => sizes[index]! > statistics.chunks * commonShare
  const common = statistics.chunks < large ? [] : all.filter(isCommon)
  if (common.length === 0) return bestBy(all, most).sorted()
  const rarer = all.filter((index) => !isCommon(index))
  const first = bestBy(rarer, reserve(most))
  if (first.size < reserve(most)) return bestBy(all, most).sorted()
  addCommon(first, common, sources, weights, shares)
  return first.sorted(most)
}

const only = (source: Source, chosen: readonly number[]): Source => ({
  ...source,
  terms: chosen.map((index) => source.terms[index]!),
})

/** Adds what some terms add to chunks that others found. */
function addCommon(
  found: Top,
  chosen: readonly number[],
  sources: readonly Source[],
  weights: Float64Array,
  shares: Float64Array,
) {
  for (const { base, lengths, terms } of sources) {
    const common = chosen.map((index) => terms[index]!)
    const own = chosen.map((index) => weights[index]!)
    found.change(base, (seq, score) => {
      const length = lengths[seq]!
      let sum = score
      for (let nth = 0; nth < common.length; nth++) {
        sum += own[nth]! * shares[(countAt(common[nth]!, seq) << 6) | length]!
      }
      return sum
    })
  }
}

/** Scores of the chunks of one base at a time, by their places. */
let scores = new Float64Array(0)

function scan(
  { base, lengths, terms }: Source,
  weights: Float64Array,
  shares: Float64Array,
  top: Top,
  places: ReadonlySet<number> | undefined,
) {
  const blocks = blocksOf(terms)
  const end = ((blocks.at(-1) ?? -1) + 1) << packedBits
  if (scores.length < end) scores = new Float64Array(end)
  for (const block of blocks) scores.fill(0, block << packedBits, (block + 1) << packedBits)
  for (const [index, term] of terms.entries()) {
    add(scores, lengths, shares, weights[index]!, term)
  }
  const least = top.threshold
  // With a good guess of what the last of the best scores, few have to be put aside again.
  const guess = places ? least : Math.max(least, guessed(blocks, top.most))
  const found = collect(top, base, blocks, guess, Number.POSITIVE_INFINITY, places)
  if (found < top.most && guess > least) collect(top, base, blocks, least, guess, places)
}

/** Of so many scores one is drawn to guess by. */
const drawn = 16

/** What about the `most`th best scores, rather less than more: of a sample of them. */
function guessed(blocks: readonly number[], most: number): number {
  const sample = new Float64Array((blocks.length * packedBlock) / drawn)
  let size = 0
  for (const block of blocks) {
    const first = block << packedBits
    for (let place = 0; place < packedBlock; place += drawn) sample[size++] = scores[first + place]!
  }
  const nth = Math.ceil((1.25 * most) / drawn) + 8
  return nth > size ? 0 : largest(sample, nth)
}

/** Collects the chunks of some blocks that score more than one bound and at most another. */
function collect(
  top: Top,
  base: number,
  blocks: readonly number[],
  above: number,
  upTo: number,
  places: ReadonlySet<number> | undefined,
): number {
  const sums = scores
  let threshold = above
  let found = 0
  for (const block of blocks) {
    const first = block << packedBits
    const end = first + packedBlock
    for (let seq = first; seq < end; seq++) {
      const score = sums[seq]!
      if (score > threshold) {
        if (score > upTo || (places && !places.has(seq))) continue
        threshold = Math.max(above, top.add(base, seq, score))
        found++
      }
    }
  }
  return found
}

/** Adds what a term adds to the chunks that have it. */
function add(
  sums: Float64Array,
  lengths: Uint8Array,
  shares: Float64Array,
  weight: number,
  { blocks, starts, entries }: Packed,
) {
  for (let nth = 0; nth < blocks.length; nth++) {
    const first = blocks[nth]! << packedBits
    const end = starts[nth + 1]!
    for (let index = starts[nth]!; index < end; index++) {
      const entry = entries[index]!
      const seq = first + (entry >>> 4)
      sums[seq]! += weight * shares[((entry & 15) << 6) | lengths[seq]!]!
    }
  }
}

/** What a term weighs: by the question, and by how few chunks have it. */
const weightsOf = (terms: readonly WeightedTerm[], sizes: readonly number[], chunks: number) =>
  Float64Array.from(terms, ({ weight }, index) => {
    const n = sizes[index]!
    return weight * Math.log(1 + (Math.max(chunks, n) - n + 0.5) / (n + 0.5))
  })

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
