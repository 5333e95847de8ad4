import {
  blockNumber,
  blockSize,
  decodePosting,
  encodePostings,
  postingLength,
  postingOffset,
  withOffset,
} from './posting.ts'
import type { PostingRow } from './postings.ts'
import type { SegmentRow } from './segment.ts'

/** New sequence number of a chunk whose postings are dropped. */
export const deleted = -1

/** Blocks of 16,384 chunks that a shard may have, which bounds their numbers. */
const maxBlocks = 2 ** 14

/**
 * Merges blocks and segments into one row per term and block, for the terms from `first` up to `end`.
 * `numberOf` gives each chunk its sequence number. Segment terms that an earlier run has merged are skipped.
 */
export function mergeBlocks(
  blocks: readonly PostingRow[],
  segments: readonly SegmentRow[],
  { first, end }: { first: number; end: number },
  numberOf: (seq: number) => number = (seq) => seq,
): PostingRow[] {
  const merged = new Map<number, number[]>()
  const add = (term: number, before: number, posting: number) => {
    const seq = numberOf(before)
    if (seq === deleted) return
    const key = term * maxBlocks + blockNumber(seq)
    const moved = withOffset(posting, seq % blockSize)
    const postings = merged.get(key)
    if (postings) postings.push(moved)
    else merged.set(key, [moved])
  }
  for (const { term, block, entries } of blocks) {
    for (let at = 0; at < entries.length; at += postingLength) {
      const posting = decodePosting(entries, at)
      add(term, block * blockSize + postingOffset(posting), posting)
    }
  }
  for (const { terms, ends, entries, first_seq, merged_below } of segments) {
    let index = lowerBound(terms, Math.max(first, merged_below))
    for (; index < terms.length && terms[index]! < end; index++) {
      for (let nth = index === 0 ? 0 : ends[index - 1]!; nth < ends[index]!; nth++) {
        const posting = decodePosting(entries, nth * postingLength)
        add(terms[index]!, first_seq + postingOffset(posting), posting)
      }
    }
  }
  return Array.from(merged, ([key, postings]) => {
    const term = Math.floor(key / maxBlocks)
    // The offset is in the high bits: sorted postings are in the order of their chunks.
    const entries = encodePostings(Uint32Array.from(postings).sort())
    return { term, block: key - term * maxBlocks, entries }
  })
}

/** Index of the first value that is not less than `value`. */
function lowerBound(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
