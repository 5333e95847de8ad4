/** Digits of the radix sort: 11 bits each. */
const digitBits = 11
const buckets = 1 << digitBits
const shifts = [0, digitBits, 2 * digitBits]
const signBit = 0x80000000

/**
 * Sorts the occurrences of terms in chunks by term, then by chunk. `ids` has the terms of each chunk one after
 * another, `lengths` the number of them. A radix sort is several times faster than maps by term.
 */
export function sortOccurrences(
  ids: Int32Array,
  lengths: readonly number[],
): { terms: Int32Array; chunks: Uint16Array } {
  // With the sign bit inverted, unsigned numbers have the order of the signed ones.
  let keys = new Uint32Array(ids.length)
  for (let index = 0; index < ids.length; index++) keys[index] = ids[index]! ^ signBit
  let chunks = new Uint16Array(ids.length)
  let end = 0
  lengths.forEach((length, chunk) => {
    chunks.fill(chunk, end, end + length)
    end += length
  })
  let [nextKeys, nextChunks] = [new Uint32Array(ids.length), new Uint16Array(ids.length)]
  for (const shift of shifts) {
    const positions = bucketStarts(keys, shift)
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!
      const position = positions[(key >>> shift) & (buckets - 1)]!++
      nextKeys[position] = key
      nextChunks[position] = chunks[index]!
    }
    ;[keys, nextKeys] = [nextKeys, keys]
    ;[chunks, nextChunks] = [nextChunks, chunks]
  }
  for (let index = 0; index < keys.length; index++) keys[index]! ^= signBit
  return { terms: new Int32Array(keys.buffer), chunks }
}

/** First position of each bucket of a digit. */
function bucketStarts(keys: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(buckets)
  for (let index = 0; index < keys.length; index++) {
    starts[(keys[index]! >>> shift) & (buckets - 1)]!++
  }
  let start = 0
  for (let bucket = 0; bucket < buckets; bucket++) {
    const size = starts[bucket]!
    starts[bucket] = start
    start += size
  }
  return starts
}
