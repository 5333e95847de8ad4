import { Fault, invalid } from '../_kit/fault.ts'
import type { Deps } from './deps.ts'
import { makeSha256 } from './sha256.ts'
import { sampleBytes, sniff } from './sniff.ts'

export interface StreamInfo {
  size: number
  sha256: string
  contentType: string
}

/** Passes chunks to `sink` and returns their size, SHA-256 and detected content type. */
export async function inspectStream(
  chunks: AsyncIterable<Uint8Array>,
  { runtime, maxBytes, filename }: { runtime: Deps['runtime']; maxBytes: number; filename: string },
  sink: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<StreamInfo> {
  const hash = await makeSha256(runtime)
  const sample = new Uint8Array(sampleBytes)
  let size = 0

  async function* inspectedChunks() {
    for await (const chunk of chunks) {
      if (size < sampleBytes) sample.set(chunk.subarray(0, sampleBytes - size), size)
      size += chunk.length
      if (size > maxBytes) throw fileTooLarge(maxBytes)
      await hash.update(chunk)
      yield chunk
    }
  }

  await sink(inspectedChunks())
  const contentType = await sniff(sample.subarray(0, Math.min(size, sampleBytes)), filename)
  return { size, sha256: await hash.hex(), contentType }
}

export const fileTooLarge = (maxBytes: number) =>
  new Fault('PAYLOAD_TOO_LARGE', `The file exceeds the limit of ${maxBytes} bytes.`, {
    data: { limit: maxBytes },
  })

/**
 * Streams a request body up to `maxBytes`. Stopping early does not cancel the body, because that would close
 * the connection before the response is sent.
 */
export async function* readBody(
  request: Request,
  maxBytes: number,
  fault: () => Fault,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!request.body) return
  const reader = request.body.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await readChunk(reader)
    if (done) return
    size += value.length
    if (size > maxBytes) throw fault()
    yield value
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw invalid([{ path: '', message: 'The request body ended early.' }])
  }
}

/** Reads all chunks and discards them. */
export async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}
