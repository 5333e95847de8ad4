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

/**
 * Merges blocks and segments into one row per term and block, for the terms from `first` up to `end`.
 * Drops postings of chunks that are not live, and segment terms that an earlier run has merged.
 */
export function mergeBlocks(
  blocks: readonly PostingRow[],
  segments: readonly SegmentRow[],
  first: number,
  end: number,
  isLive: (seq: number) => boolean,
): PostingRow[] {
  const merged = new Map<string, { term: number; block: number; postings: number[] }>()
  const add = (term: number, seq: number, posting: number) => {
    const block = blockNumber(seq)
    const key = `${term} ${block}`
    let row = merged.get(key)
    if (!row) {
      row = { term, block, postings: [] }
      merged.set(key, row)
    }
    row.postings.push(withOffset(posting, seq % blockSize))
  }
  for (const { term, block, entries } of blocks) {
    for (let at = 0; at < entries.length; at += postingLength) {
      const posting = decodePosting(entries, at)
      const seq = block * blockSize + postingOffset(posting)
      if (isLive(seq)) add(term, seq, posting)
    }
  }
  for (const { terms, ends, entries, first_seq, merged_below } of segments) {
    let index = lowerBound(terms, Math.max(first, merged_below))
    for (; index < terms.length && terms[index]! < end; index++) {
      for (let nth = index === 0 ? 0 : ends[index - 1]!; nth < ends[index]!; nth++) {
        const posting = decodePosting(entries, nth * postingLength)
        const seq = first_seq + postingOffset(posting)
        if (isLive(seq)) add(terms[index]!, seq, posting)
      }
    }
  }
  return Array.from(merged.values(), ({ term, block, postings }) => ({
    term,
    block,
    entries: encodePostings(Uint32Array.from(postings)),
  }))
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
