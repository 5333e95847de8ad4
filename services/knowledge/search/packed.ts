import { blockSize, entryAt, entryLength, placeOf } from './postings.ts'

/** In memory blocks are smaller than in the database, so that sixteen bits tell of a chunk. */
export const packedBits = 12
export const packedBlock = 1 << packedBits

/** The chunks of a base that have a term. */
export interface Packed {
  /** All places below this are told of. */
  upTo: number
  /** The blocks that have the term, ascending, and where the entries of each begin and end. */
  blocks: Uint16Array
  starts: Uint32Array
  /** The place in the block, and in the last four bits how often the chunk has the term. */
  entries: Uint16Array
  /** How often each chunk has it, where many do. */
  counts: Uint8Array | undefined
}

export const nothing = (upTo: number): Packed => ({
  upTo,
  blocks: new Uint16Array(0),
  starts: new Uint32Array(1),
  entries: new Uint16Array(0),
  counts: undefined,
})

/** So many of the chunks are many. */
const manyOf = (upTo: number) => Math.max(256, upTo / 16)

/** What an object of this kind takes beside its numbers. */
const overhead = 400

export const sizeOfPacked = ({ blocks, entries, counts }: Packed) =>
  overhead + 6 * blocks.length + 2 * entries.length + (counts?.length ?? 0)

export interface Row {
  block: number
  entries: string
}

/**
 * Rows of the database packed, of the places from `from` on and below `upTo`. How long a chunk is every
 * one of its entries says: it is noted once for all of them in `lengths`.
 */
export function packed(
  rows: readonly Row[],
  from: number,
  upTo: number,
  lengths: Uint8Array,
): Packed {
  let all = 0
  for (const { entries } of rows) all += entries.length / entryLength
  const values = new Uint32Array(all)
  let size = 0
  let sorted = true
  for (const { block, entries } of rows) {
    for (let at = 0; at < entries.length; at += entryLength) {
      const value = entryAt(entries, at)
      const seq = block * blockSize + placeOf(value)
      if (seq < from || seq >= upTo) continue
      lengths[seq] = value & 63
      const next = ((seq << 4) | ((value >>> 6) & 15)) >>> 0
      if (size > 0 && next < values[size - 1]!) sorted = false
      values[size++] = next
    }
  }
  const told = values.subarray(0, size)
  return inBlocks(sorted ? told : told.sort(), upTo)
}

function inBlocks(values: Uint32Array, upTo: number): Packed {
  const blocks: number[] = []
  const starts: number[] = []
  const entries = new Uint16Array(values.length)
  values.forEach((value, index) => {
    const block = value >>> (packedBits + 4)
    if (block !== blocks.at(-1)) {
      blocks.push(block)
      starts.push(index)
    }
    entries[index] = value
  })
  starts.push(values.length)
  return withCounts({
    upTo,
    blocks: Uint16Array.from(blocks),
    starts: Uint32Array.from(starts),
    entries,
  })
}

function withCounts(packed: Omit<Packed, 'counts'>): Packed {
  const { upTo, blocks, starts, entries } = packed
  if (entries.length < manyOf(upTo)) return { ...packed, counts: undefined }
  const counts = new Uint8Array(upTo)
  blocks.forEach((block, nth) => {
    const first = block << packedBits
    for (let index = starts[nth]!; index < starts[nth + 1]!; index++) {
      const entry = entries[index]!
      counts[first + (entry >>> 4)] = entry & 15
    }
  })
  return { ...packed, counts }
}

/** How often a chunk has the term. */
export function countAt({ blocks, starts, entries, counts }: Packed, seq: number): number {
  if (counts) return counts[seq] ?? 0
  const block = seq >>> packedBits
  const place = seq & (packedBlock - 1)
  // A block may come twice, one after the other.
  for (let nth = blocks.indexOf(block); nth >= 0 && blocks[nth] === block; nth++) {
    let [low, high] = [starts[nth]!, starts[nth + 1]!]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (entries[middle]! >>> 4 < place) low = middle + 1
      else high = middle
    }
    const found = low < starts[nth + 1]! ? entries[low]! : 0
    if (found >>> 4 === place && (found & 15) > 0) return found & 15
  }
  return 0
}

/** What was known, with what came after it; a block may come twice where they meet. */
export function joined(before: Packed, after: Packed): Packed {
  if (after.entries.length === 0) return { ...before, upTo: after.upTo }
  const entries = new Uint16Array(before.entries.length + after.entries.length)
  entries.set(before.entries)
  entries.set(after.entries, before.entries.length)
  const starts = new Uint32Array(before.blocks.length + after.starts.length)
  starts.set(before.starts)
  after.starts.forEach((start, index) => {
    starts[before.blocks.length + index] = before.entries.length + start
  })
  const blocks = Uint16Array.from([...before.blocks, ...after.blocks])
  return withCounts({ upTo: after.upTo, blocks, starts, entries })
}
