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
}

export const nothing = (upTo: number): Packed => ({
  upTo,
  blocks: new Uint16Array(0),
  starts: new Uint32Array(1),
  entries: new Uint16Array(0),
})

/** What an object of this kind takes beside its numbers. */
const overhead = 400

export const sizeOfPacked = ({ blocks, entries }: Packed) =>
  overhead + 6 * blocks.length + 2 * entries.length

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
  return { upTo, blocks: Uint16Array.from(blocks), starts: Uint32Array.from(starts), entries }
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
  return { upTo: after.upTo, blocks, starts, entries }
}
