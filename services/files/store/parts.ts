export const defaultPartBytes = 8 * 1024 * 1024

export interface StoragePart {
  bytes: Uint8Array
  last: boolean
}

/**
 * Regroups chunks into parts of equal size; the last may be smaller. Buffers are reused: a part is valid
 * until the part `inFlight + 1` positions later is requested.
 */
export async function* splitParts(
  chunks: AsyncIterable<Uint8Array>,
  inFlight: number,
  partBytes = defaultPartBytes,
): AsyncGenerator<StoragePart, void, undefined> {
  const buffers = Array.from({ length: inFlight + 1 }, () => new Uint8Array())
  let [current, filled] = [0, 0]
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      // A full buffer is yielded when more bytes arrive, because only then it is not the last part.
      if (filled === partBytes) {
        yield { bytes: buffers[current]!, last: false }
        current = (current + 1) % buffers.length
        filled = 0
      }
      const copied = Math.min(chunk.length - from, partBytes - filled)
      if (filled + copied > buffers[current]!.length) {
        buffers[current] = growBuffer(buffers[current]!, filled + copied, partBytes)
      }
      buffers[current]!.set(chunk.subarray(from, from + copied), filled)
      filled += copied
      from += copied
    }
  }
  if (filled > 0) yield { bytes: buffers[current]!.subarray(0, filled), last: true }
}

/** Doubles the buffer, so that a small file needs little memory. */
function growBuffer(buffer: Uint8Array<ArrayBuffer>, needed: number, maxBytes: number) {
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, buffer.length * 2)))
  larger.set(buffer)
  return larger
}
