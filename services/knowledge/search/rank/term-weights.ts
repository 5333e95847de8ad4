import type { TimeSlice } from '../../../_kit/time-slice.ts'
import { decodeLength } from '../index/posting.ts'
import { countSearched } from '../index/posting-list.ts'
import type { ShardPostings } from '../index/read-postings.ts'
import type { WeightedTerm } from '../query/query-terms.ts'

const k1 = 1.2
const b = 0.75

/** Number of searched chunks, and of the terms in them. */
export interface CollectionStatistics {
  chunks: number
  words: number
}

/**
 * Counts the searched chunks that contain each term. Chunks of other bases in the same shard do not count: the
 * scores of a search must not depend on bases that it does not cover.
 */
export async function countDocuments(
  terms: readonly WeightedTerm[],
  postings: readonly ShardPostings[],
  slice: TimeSlice,
): Promise<number[]> {
  const counts = terms.map(() => 0)
  for (const { terms: lists, searched } of postings) {
    for (let index = 0; index < lists.length; index++) {
      const list = lists[index]!
      counts[index]! += searched ? countSearched(list, searched) : list.entries.length
      if (slice.isOver) await slice.pause()
    }
  }
  return counts
}

/** Query weight of each term times its inverse document frequency. */
export const idfWeights = (
  terms: readonly WeightedTerm[],
  documentFrequencies: readonly number[],
  chunks: number,
) =>
  Float64Array.from(terms, ({ weight }, index) => {
    const n = documentFrequencies[index]!
    return weight * Math.log(1 + (Math.max(chunks, n) - n + 0.5) / (n + 0.5))
  })

/** Normalized term frequency for each pair of frequency and length code. */
export function tfNormTable({ chunks, words }: CollectionStatistics): Float64Array {
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
