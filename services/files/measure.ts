import { Fault, invalid } from '../_kit/fault.ts'
import type { Deps } from './deps.ts'
import { sha256 } from './sha256.ts'
import { sampleSize, sniff } from './sniff.ts'

export interface Measured {
  size: number
  sha256: string
  contentType: string
}

/** Lets bytes through to `sink` and says what they were: how many, their hash, what kind of file. */
export async function measure(
  chunks: AsyncIterable<Uint8Array>,
  { runtime, most, filename }: { runtime: Deps['runtime']; most: number; filename: string },
  sink: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<Measured> {
  const hash = await sha256(runtime)
  const sample = new Uint8Array(sampleSize)
  let size = 0

  async function* passing() {
    for await (const chunk of chunks) {
      if (size < sampleSize) sample.set(chunk.subarray(0, sampleSize - size), size)
      size += chunk.length
      if (size > most) throw tooLarge(most)
      await hash.update(chunk)
      yield chunk
    }
  }

  await sink(passing())
  const contentType = await sniff(sample.subarray(0, Math.min(size, sampleSize)), filename)
  return { size, sha256: await hash.hex(), contentType }
}

export const tooLarge = (most: number) =>
  new Fault('PAYLOAD_TOO_LARGE', `A file may have at most ${most} bytes.`, {
    data: { limit: most },
  })

/**
 * The body of a request as it comes, up to so many bytes. Leaving it before its end does not close the
 * connection, over which the answer still has to go.
 */
export async function* bodyOf(
  request: Request,
  most: number,
  fault: () => Fault,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!request.body) return
  const reader = request.body.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await readFrom(reader)
    if (done) return
    size += value.length
    if (size > most) throw fault()
    yield value
  }
}

async function readFrom(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw invalid([{ path: '', message: 'The body was cut off.' }])
  }
}

/** Reads to the end and keeps nothing. */
export async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}
