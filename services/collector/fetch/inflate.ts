import { FetchError } from '../../_kit/outbound/address.ts'

const formats: Record<string, CompressionFormat> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
}

/** Decompresses a body up to `maxBytes`, as a protection against decompression bombs. */
export async function decompress(
  body: Uint8Array<ArrayBuffer>,
  encoding: string | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const format = formats[name]
  if (!format) throw new FetchError(`Unsupported content encoding ${name.slice(0, 40)}.`)
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream(format))
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > maxBytes) throw new FetchError(`The decompressed body exceeds ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
  } catch (thrown) {
    throw thrown instanceof FetchError ? thrown : new FetchError('The compressed body is damaged.')
  }
  const joined = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b
