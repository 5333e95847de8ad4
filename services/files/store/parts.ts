const partSize = 8 * 1024 * 1024

export interface StoragePart {
  bytes: Uint8Array
  last: boolean
}

/**
 * Chunks of any size as parts of one size, but for the last. Some buffers take turns, so a part must have
 * been sent by the time that the part is asked for which is `inFlight` later and one more.
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  inFlight: number,
  size = partSize,
): AsyncGenerator<StoragePart, void, undefined> {
  const buffers = Array.from({ length: inFlight + 1 }, () => new Uint8Array())
  let [turn, filled] = [0, 0]
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      // A full buffer is given away when more comes: only then it is not the last.
      if (filled === size) {
        yield { bytes: buffers[turn]!, last: false }
        turn = (turn + 1) % buffers.length
        filled = 0
      }
      const taken = Math.min(chunk.length - from, size - filled)
      if (filled + taken > buffers[turn]!.length) {
        buffers[turn] = grown(buffers[turn]!, filled + taken, size)
      }
      buffers[turn]!.set(chunk.subarray(from, from + taken), filled)
      filled += taken
      from += taken
    }
  }
  if (filled > 0) yield { bytes: buffers[turn]!.subarray(0, filled), last: true }
}

/** Doubled at least, so that a small file needs little. */
function grown(buffer: Uint8Array<ArrayBuffer>, needed: number, most: number) {
  const larger = new Uint8Array(Math.min(most, Math.max(needed, buffer.length * 2)))
  larger.set(buffer)
  return larger
}
