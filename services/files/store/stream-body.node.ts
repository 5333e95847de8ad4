import { Readable } from 'node:stream'

const bufferBytes = 1024 * 1024

/** Converts chunks to the stream that the S3 client sends on Node and Deno. */
export function streamBody(chunks: AsyncIterable<Uint8Array>): Readable {
  const body = Readable.from(chunks, { objectMode: false, highWaterMark: bufferBytes })
  // The reader of the chunks reports their error; without a listener it would end the process.
  body.on('error', () => {})
  return body
}
