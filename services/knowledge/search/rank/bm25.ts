import { TimeSlice } from '../../../_kit/time-slice.ts'
import { listBlockBits, type PostingList, termFrequency } from '../index/posting-list.ts'
import type { ShardPostings } from '../index/read-postings.ts'
import type { WeightedTerm } from '../query/query-terms.ts'
import type { ScoredChunk } from './scored-chunk.ts'
import {
  type CollectionStatistics,
  countDocuments,
  idfWeights,
  tfNormTable,
} from './term-weights.ts'
import { TopK } from './top-k.ts'

/** Chunks that may be found, by shard. */
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
export async function searchTopK(
  terms: readonly WeightedTerm[],
  postings: readonly ShardPostings[],
  statistics: CollectionStatistics,
  limit: number,
  allowed?: ChunkFilter,
): Promise<ScoredChunk[]> {
  const slice = new TimeSlice()
  const documentFrequencies = await countDocuments(terms, postings, slice)
  const weights = idfWeights(terms, documentFrequencies, statistics.chunks)
  const tfNorms = tfNormTable(statistics)
  const scanTerms = async (chosen: readonly number[], count: number) => {
    const top = new TopK(count)
    for (const source of postings) {
      const allowedSeqs = allowed && (allowed.get(source.shard) ?? new Set<number>())
      const present = chosen.filter((index) => source.terms[index]!.entries.length > 0)
      const windows = scan(source, present, { weights, tfNorms }, top, allowedSeqs)
      while (!windows.next().done) if (slice.isOver) await slice.pause()
    }
    return top
  }
  const all = terms.map((_, index) => index)
  const isFrequent = (index: number) =>
    documentFrequencies[index]! > statistics.chunks * frequentShare
  const frequent = statistics.chunks < minChunksForPruning ? [] : all.filter(isFrequent)
  const baseOfShard = new Map(postings.map(({ shard, baseOf }) => [shard, baseOf]))
  const baseOf = (shard: number, seq: number) => baseOfShard.get(shard)!(seq)
  if (frequent.length === 0) return (await scanTerms(all, limit)).toSorted(baseOf)
  const rarer = all.filter((index) => !isFrequent(index))
  const first = await scanTerms(rarer, withMargin(limit))
  if (first.size < withMargin(limit)) return (await scanTerms(all, limit)).toSorted(baseOf)
  addFrequentTerms(first, frequent, postings, weights, tfNorms)
  return first.toSorted(baseOf, limit)
}

/** Adds the scores of frequent terms to the candidates of the others. */
function addFrequentTerms(
  found: TopK,
  chosen: readonly number[],
  postings: readonly ShardPostings[],
  weights: Float64Array,
  tfNorms: Float64Array,
) {
  for (const { shard, lengths, terms } of postings) {
    const frequent = chosen.map((index) => terms[index]!)
    const own = chosen.map((index) => weights[index]!)
    found.rescore(shard, (seq, score) => {
      const length = lengths[seq]!
      let sum = score
      for (let nth = 0; nth < frequent.length; nth++) {
        sum += own[nth]! * tfNorms[(termFrequency(frequent[nth]!, seq) << 6) | length]!
      }
      return sum
    })
  }
}

/** Blocks scored at a time. The scores of a window stay in the cache of the processor. */
const windowBlocks = 8
const windowSize = windowBlocks << listBlockBits
/** Scores of the chunks of one window. Searches share it: a window is scored without interruption. */
const scores = new Float64Array(windowSize)

/** Scores the chunks of a shard by the chosen terms, one window of blocks per step. */
function* scan(
  { shard, lengths, terms: all, searched }: ShardPostings,
  chosen: readonly number[],
  { weights, tfNorms }: { weights: Float64Array; tfNorms: Float64Array },
  top: TopK,
  allowedSeqs: ReadonlySet<number> | undefined,
) {
  const terms = chosen.map((index) => all[index]!)
  /** Index of the first block of each term that is not scored yet. */
  const next = new Int32Array(terms.length)
  for (;;) {
    const block = firstBlock(terms, next)
    if (block === Number.POSITIVE_INFINITY) return
    const first = block << listBlockBits
    const size = Math.min(windowSize, lengths.length - first)
    scores.fill(0, 0, size)
    for (let index = 0; index < terms.length; index++) {
      const norms = { lengths, tfNorms, weight: weights[chosen[index]!]! }
      next[index] = addTerm(terms[index]!, next[index]!, block, norms)
    }
    collect(top, shard, first, size, searched, allowedSeqs)
    yield
  }
}

function firstBlock(terms: readonly PostingList[], next: Int32Array): number {
  let first = Number.POSITIVE_INFINITY
  for (let index = 0; index < terms.length; index++) {
    const block = terms[index]!.blocks[next[index]!]
    if (block !== undefined && block < first) first = block
  }
  return first
}

interface TermNorms {
  lengths: Uint8Array
  tfNorms: Float64Array
  weight: number
}

/** Adds the scores of a term in the window from `firstBlock` on; returns the index of its next block. */
function addTerm(
  { blocks, starts, entries }: PostingList,
  from: number,
  firstBlock: number,
  { lengths, tfNorms, weight }: TermNorms,
): number {
  let nth = from
  for (; nth < blocks.length && blocks[nth]! < firstBlock + windowBlocks; nth++) {
    const inShard = blocks[nth]! << listBlockBits
    const inWindow = (blocks[nth]! - firstBlock) << listBlockBits
    const end = starts[nth + 1]!
    for (let index = starts[nth]!; index < end; index++) {
      const entry = entries[index]!
      const offset = entry >>> 4
      scores[inWindow + offset]! +=
        weight * tfNorms[((entry & 15) << 6) | lengths[inShard + offset]!]!
    }
  }
  return nth
}

/** Offers the searched chunks of a window to the top k. */
function collect(
  top: TopK,
  shard: number,
  first: number,
  size: number,
  searched: Uint8Array | undefined,
  allowedSeqs: ReadonlySet<number> | undefined,
) {
  let { threshold } = top
  for (let place = 0; place < size; place++) {
    const score = scores[place]!
    if (score <= threshold || (searched && searched[first + place] !== 1)) continue
    if (allowedSeqs && !allowedSeqs.has(first + place)) continue
    threshold = top.add(shard, first + place, score)
  }
}
