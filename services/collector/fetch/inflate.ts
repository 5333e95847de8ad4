import { FetchError } from './address.ts'

const formats: Record<string, CompressionFormat> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
}

/** What a server packed, unpacked up to a limit: few bytes can become very many. */
export async function decompress(
  body: Uint8Array<ArrayBuffer>,
  encoding: string | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const format = formats[name]
  if (!format) throw new FetchError(`Packed as ${name.slice(0, 40)}, which was not asked for.`)
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream(format))
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > maxBytes) throw new FetchError(`Unpacked, larger than ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
  } catch (thrown) {
    throw thrown instanceof FetchError ? thrown : new FetchError('Packed, but damaged.')
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
