import { decodePosting, postingLength, postingOffset } from './posting.ts'

/** Blocks in memory are smaller than in the database, so that a posting fits into 16 bits. */
export const listBlockBits = 12
export const listBlockSize = 1 << listBlockBits
/** Upper bound of sequence numbers: a block number has 16 bits. */
export const maxSeq = 2 ** (listBlockBits + 16)

/** Posting list of a term in one shard. */
export interface PostingList {
  /** The list is complete for chunks below this number. */
  coveredUntil: number
  /** Blocks that contain the term, ascending, and the range of each in `entries`. */
  blocks: Uint16Array
  starts: Uint32Array
  /** Offset in the block (12 bits) and term frequency (4 bits). */
  entries: Uint16Array
  /** Term frequency by chunk, for frequent terms only. */
  denseCounts: Uint8Array | undefined
}

export const emptyPostingList = (coveredUntil: number): PostingList => ({
  coveredUntil,
  blocks: new Uint16Array(0),
  starts: new Uint32Array(1),
  entries: new Uint16Array(0),
  denseCounts: undefined,
})

/** Number of postings from which a list gets `denseCounts`. */
const denseThreshold = (coveredUntil: number) => Math.max(256, coveredUntil / 16)

const objectOverheadBytes = 400

export const postingListBytes = ({ blocks, entries, denseCounts }: PostingList) =>
  objectOverheadBytes + 6 * blocks.length + 2 * entries.length + (denseCounts?.length ?? 0)

/** Encoded postings with offsets from the chunk number `first`. */
export interface PostingRange {
  first: number
  entries: string
}

/**
 * Decodes rows of the database, for chunks from `from` up to `coveredUntil`. The length of a chunk is in
 * each of its postings and is written to `lengths`.
 */
export function decodePostings(
  rows: readonly PostingRange[],
  from: number,
  coveredUntil: number,
  lengths: Uint8Array,
): PostingList {
  let all = 0
  for (const { entries } of rows) all += entries.length / postingLength
  const values = new Uint32Array(all)
  let size = 0
  let sorted = true
  for (const { first, entries } of rows) {
    for (let at = 0; at < entries.length; at += postingLength) {
      const value = decodePosting(entries, at)
      const seq = first + postingOffset(value)
      if (seq < from || seq >= coveredUntil) continue
      lengths[seq] = value & 63
      const next = ((seq << 4) | ((value >>> 6) & 15)) >>> 0
      if (size > 0 && next < values[size - 1]!) sorted = false
      values[size++] = next
    }
  }
  const used = values.subarray(0, size)
  return groupByBlock(sorted ? used : used.sort(), coveredUntil)
}

function groupByBlock(values: Uint32Array, coveredUntil: number): PostingList {
  const blocks: number[] = []
  const starts: number[] = []
  const entries = new Uint16Array(values.length)
  values.forEach((value, index) => {
    const block = value >>> (listBlockBits + 4)
    if (block !== blocks.at(-1)) {
      blocks.push(block)
      starts.push(index)
    }
    entries[index] = value
  })
  starts.push(values.length)
  return addDenseCounts({
    coveredUntil,
    blocks: Uint16Array.from(blocks),
    starts: Uint32Array.from(starts),
    entries,
  })
}

function addDenseCounts(list: Omit<PostingList, 'denseCounts'>): PostingList {
  const { coveredUntil, blocks, starts, entries } = list
  if (entries.length < denseThreshold(coveredUntil)) return { ...list, denseCounts: undefined }
  const denseCounts = new Uint8Array(coveredUntil)
  blocks.forEach((block, nth) => {
    const first = block << listBlockBits
    for (let index = starts[nth]!; index < starts[nth + 1]!; index++) {
      const entry = entries[index]!
      denseCounts[first + (entry >>> 4)] = entry & 15
    }
  })
  return { ...list, denseCounts }
}

export function termFrequency(
  { blocks, starts, entries, denseCounts }: PostingList,
  seq: number,
): number {
  if (denseCounts) return denseCounts[seq] ?? 0
  const block = seq >>> listBlockBits
  const offset = seq & (listBlockSize - 1)
  // A block occurs twice where two lists were joined inside it.
  for (let nth = blocks.indexOf(block); nth >= 0 && blocks[nth] === block; nth++) {
    let [low, high] = [starts[nth]!, starts[nth + 1]!]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (entries[middle]! >>> 4 < offset) low = middle + 1
      else high = middle
    }
    const found = low < starts[nth + 1]! ? entries[low]! : 0
    if (found >>> 4 === offset && (found & 15) > 0) return found & 15
  }
  return 0
}

/** Counts the postings of the chunks that are marked in `searched`. */
export function countSearched(
  { blocks, starts, entries }: PostingList,
  searched: Uint8Array,
): number {
  let count = 0
  for (let nth = 0; nth < blocks.length; nth++) {
    const first = blocks[nth]! << listBlockBits
    const end = starts[nth + 1]!
    for (let index = starts[nth]!; index < end; index++) {
      count += searched[first + (entries[index]! >>> 4)] ?? 0
    }
  }
  return count
}

/** Joins two lists of consecutive chunks; a block in which they meet occurs twice. */
export function appendPostings(before: PostingList, after: PostingList): PostingList {
  if (after.entries.length === 0) return { ...before, coveredUntil: after.coveredUntil }
  const entries = new Uint16Array(before.entries.length + after.entries.length)
  entries.set(before.entries)
  entries.set(after.entries, before.entries.length)
  const starts = new Uint32Array(before.blocks.length + after.starts.length)
  starts.set(before.starts)
  after.starts.forEach((start, index) => {
    starts[before.blocks.length + index] = before.entries.length + start
  })
  const blocks = Uint16Array.from([...before.blocks, ...after.blocks])
  return addDenseCounts({ coveredUntil: after.coveredUntil, blocks, starts, entries })
}
