import { decodeLength } from '../index/posting.ts'
import {
  listBlockBits,
  listBlockSize,
  type PostingList,
  termFrequency,
} from '../index/posting-list.ts'
import type { BasePostings } from '../index/read-postings.ts'
import type { WeightedTerm } from '../query/query-terms.ts'
import type { ScoredChunk } from './scored-chunk.ts'
import { nthLargest, TopK } from './top-k.ts'

const k1 = 1.2
const b = 0.75

/** Number of searched chunks, and of the terms in them. */
export interface CollectionStatistics {
  chunks: number
  words: number
}

/** Chunks that may be found, by base. */
export type ChunkFilter = ReadonlyMap<number, ReadonlySet<number>>

/** From this collection size on, terms in more than 1/8 of the chunks do not generate candidates. */
const minChunksForPruning = 16_384
const frequentShare = 1 / 8
/** Candidates that the rarer terms must find for the best `limit` by all terms to be among them. */
const withMargin = (limit: number) => limit + 500

/**
 * Finds the best chunks by BM25. Frequent terms produce most postings and contribute least to the
 * score: if the rarer terms find enough candidates, frequent terms only rescore these. `allowed`
 * restricts the result to some chunks.
 */
export function searchTopK(
  terms: readonly WeightedTerm[],
  postings: readonly BasePostings[],
  statistics: CollectionStatistics,
  limit: number,
  allowed?: ChunkFilter,
): ScoredChunk[] {
  const documentFrequencies = terms.map((_, index) =>
    postings.reduce((sum, source) => sum + source.terms[index]!.entries.length, 0),
  )
  const weights = idfWeights(terms, documentFrequencies, statistics.chunks)
  const tfNorms = tfNormTable(statistics)
  const scanTerms = (chosen: readonly number[], count: number) => {
    const top = new TopK(count)
    const own = Float64Array.from(chosen, (index) => weights[index]!)
    for (const source of postings) {
      const allowedSeqs = allowed && (allowed.get(source.base) ?? new Set<number>())
      scan(selectTerms(source, chosen), own, tfNorms, top, allowedSeqs)
    }
    return top
  }
  const all = terms.map((_, index) => index)
  const isFrequent = (index: number) =>
    documentFrequencies[index]! > statistics.chunks * frequentShare
  const frequent = statistics.chunks < minChunksForPruning ? [] : all.filter(isFrequent)
  if (frequent.length === 0) return scanTerms(all, limit).toSorted()
  const rarer = all.filter((index) => !isFrequent(index))
  const first = scanTerms(rarer, withMargin(limit))
  if (first.size < withMargin(limit)) return scanTerms(all, limit).toSorted()
  addFrequentTerms(first, frequent, postings, weights, tfNorms)
  return first.toSorted(limit)
}

const selectTerms = (source: BasePostings, chosen: readonly number[]): BasePostings => ({
  ...source,
  terms: chosen.map((index) => source.terms[index]!),
})

/** Adds the scores of frequent terms to the candidates of the others. */
function addFrequentTerms(
  found: TopK,
  chosen: readonly number[],
  postings: readonly BasePostings[],
  weights: Float64Array,
  tfNorms: Float64Array,
) {
  for (const { base, lengths, terms } of postings) {
    const frequent = chosen.map((index) => terms[index]!)
    const own = chosen.map((index) => weights[index]!)
    found.rescore(base, (seq, score) => {
      const length = lengths[seq]!
      let sum = score
      for (let nth = 0; nth < frequent.length; nth++) {
        sum += own[nth]! * tfNorms[(termFrequency(frequent[nth]!, seq) << 6) | length]!
      }
      return sum
    })
  }
}

/** Scores of one base's chunks by sequence number; reused between searches. */
let scores = new Float64Array(0)

function scan(
  { base, lengths, terms }: BasePostings,
  weights: Float64Array,
  tfNorms: Float64Array,
  top: TopK,
  allowedSeqs: ReadonlySet<number> | undefined,
) {
  const blocks = touchedBlocks(terms)
  const end = ((blocks.at(-1) ?? -1) + 1) << listBlockBits
  if (scores.length < end) scores = new Float64Array(end)
  for (const block of blocks) scores.fill(0, block << listBlockBits, (block + 1) << listBlockBits)
  for (const [index, term] of terms.entries()) {
    addTerm(scores, lengths, tfNorms, weights[index]!, term)
  }
  const threshold = top.threshold
  // A good estimate of the final threshold avoids most insertions that are dropped later.
  const estimate = allowedSeqs
    ? threshold
    : Math.max(threshold, estimateThreshold(blocks, top.limit))
  const found = collect(top, base, blocks, estimate, Number.POSITIVE_INFINITY, allowedSeqs)
  if (found < top.limit && estimate > threshold)
    collect(top, base, blocks, threshold, estimate, allowedSeqs)
}

/** Every 16th score is sampled. */
const sampleStride = 16

/** Estimates the `limit`th best score from a sample, with a margin below it. */
function estimateThreshold(blocks: readonly number[], limit: number): number {
  const sample = new Float64Array((blocks.length * listBlockSize) / sampleStride)
  let size = 0
  for (const block of blocks) {
    const first = block << listBlockBits
    for (let place = 0; place < listBlockSize; place += sampleStride)
      sample[size++] = scores[first + place]!
  }
  const nth = Math.ceil((1.25 * limit) / sampleStride) + 8
  return nth > size ? 0 : nthLargest(sample, nth)
}

/** Collects the chunks that score more than `above` and at most `atMost`. */
function collect(
  top: TopK,
  base: number,
  blocks: readonly number[],
  above: number,
  atMost: number,
  allowedSeqs: ReadonlySet<number> | undefined,
): number {
  const sums = scores
  let threshold = above
  let found = 0
  for (const block of blocks) {
    const first = block << listBlockBits
    const end = first + listBlockSize
    for (let seq = first; seq < end; seq++) {
      const score = sums[seq]!
      if (score > threshold) {
        if (score > atMost || (allowedSeqs && !allowedSeqs.has(seq))) continue
        threshold = Math.max(above, top.add(base, seq, score))
        found++
      }
    }
  }
  return found
}

function addTerm(
  sums: Float64Array,
  lengths: Uint8Array,
  tfNorms: Float64Array,
  weight: number,
  { blocks, starts, entries }: PostingList,
) {
  for (let nth = 0; nth < blocks.length; nth++) {
    const first = blocks[nth]! << listBlockBits
    const end = starts[nth + 1]!
    for (let index = starts[nth]!; index < end; index++) {
      const entry = entries[index]!
      const seq = first + (entry >>> 4)
      sums[seq]! += weight * tfNorms[((entry & 15) << 6) | lengths[seq]!]!
    }
  }
}

/** Query weight of each term times its inverse document frequency. */
const idfWeights = (
  terms: readonly WeightedTerm[],
  documentFrequencies: readonly number[],
  chunks: number,
) =>
  Float64Array.from(terms, ({ weight }, index) => {
    const n = documentFrequencies[index]!
    return weight * Math.log(1 + (Math.max(chunks, n) - n + 0.5) / (n + 0.5))
  })

/** Normalized term frequency for each pair of frequency and length code. */
function tfNormTable({ chunks, words }: CollectionStatistics): Float64Array {
  const average = words / Math.max(chunks, 1) || 1
  const norms = Array.from(
    { length: 64 },
    (_, code) => k1 * (1 - b + (b * decodeLength(code)) / average),
  )
  const tfNorms = new Float64Array(1024)
  for (let value = 0; value < tfNorms.length; value++) {
    const count = value >>> 6
    tfNorms[value] = (count * (k1 + 1)) / (count + norms[value & 63]!)
  }
  return tfNorms
}

/** Blocks that contain any of the terms, ascending. */
function touchedBlocks(terms: readonly PostingList[]): number[] {
  const last = terms.reduce((last, { blocks }) => Math.max(last, blocks.at(-1) ?? -1), -1)
  const touched = new Uint8Array(last + 1)
  for (const { blocks } of terms) {
    for (let index = 0; index < blocks.length; index++) touched[blocks[index]!] = 1
  }
  const found: number[] = []
  for (let block = 0; block <= last; block++) if (touched[block]) found.push(block)
  return found
}
