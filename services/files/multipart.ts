import { invalid } from '../_kit/fault.ts'

/** A part of a form. The next part becomes available after the body of this part was read. */
export interface FormPart {
  name: string
  filename: string | undefined
  /** Number of bytes of the form before the body of the part. */
  offset: number
  body: AsyncIterable<Uint8Array>
}

const maxHeaderBytes = 16 * 1024
const crlf = ascii('\r\n')
const blankLine = ascii('\r\n\r\n')

/**
 * Returns the boundary parameter, or undefined for other content types than multipart/form-data.
 */
export function parseBoundary(contentType: string | undefined): string | undefined {
  if (!contentType || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined
  const named = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType)
  const boundary = named?.[1] ?? named?.[2] ?? ''
  if (/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) return boundary
  throw malformedForm('The content type has no valid boundary.')
}

/**
 * Streams the parts of multipart/form-data. Buffers only the end of a chunk that may be the start of a
 * boundary.
 */
export async function* formParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart, void, undefined> {
  const source = makeScanner(body)
  const delimiter = ascii(`\r\n--${boundary}`)
  await skip(source.until(delimiter))
  for (;;) {
    const after = await source.take(2)
    if (after === '--') return source.finish()
    if (after !== '\r\n') throw malformedForm('A boundary must be followed by a line break.')
    source.putBack(crlf)
    const header = await readHeader(source.until(blankLine))
    const part = {
      ...parseDisposition(header),
      offset: source.offset(),
      body: source.until(delimiter),
    }
    yield part
    await skip(part.body)
  }
}

/** Reads a stream up to given byte sequences. */
function makeScanner(body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]()
  // A delimiter starts with CRLF, and the first boundary has none before it.
  let buffered: Uint8Array = crlf
  let received = 0

  async function fill() {
    const { done, value } = await chunks.next()
    if (done) throw malformedForm('The body ends before the last boundary.')
    received += value.length
    buffered = buffered.length > 0 ? concatBytes(buffered, value) : value
  }

  async function* until(needle: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    const find = makeFinder(needle)
    for (;;) {
      const at = find(buffered)
      if (at !== -1) {
        const found = buffered.subarray(0, at)
        buffered = buffered.subarray(at + needle.length)
        if (found.length > 0) yield found
        return
      }
      const safe = buffered.subarray(0, partialMatchStart(needle, buffered))
      buffered = buffered.subarray(safe.length)
      if (safe.length > 0) yield safe
      await fill()
    }
  }

  return {
    until,
    offset: () => received - buffered.length,
    async take(count: number): Promise<string> {
      while (buffered.length < count) await fill()
      const consumed = buffered.subarray(0, count)
      buffered = buffered.subarray(count)
      return String.fromCharCode(...consumed)
    },
    putBack(bytes: Uint8Array) {
      buffered = concatBytes(bytes, buffered)
    },
    /** Reads and ignores the epilogue. */
    async finish() {
      while (!(await chunks.next()).done);
    },
  }
}

/**
 * Boyer–Moore–Horspool search. A needle starts with CR and a boundary contains none, so the search is linear.
 */
function makeFinder(needle: Uint8Array): (hay: Uint8Array) => number {
  const last = needle.length - 1
  const skips = new Uint8Array(256).fill(needle.length)
  for (let i = 0; i < last; i++) skips[needle[i]!] = last - i
  return (hay) => {
    for (let at = 0; at + last < hay.length; at += skips[hay[at + last]!]!) {
      let matched = 0
      while (matched <= last && hay[at + matched] === needle[matched]) matched++
      if (matched > last) return at
    }
    return -1
  }
}

/** Start of a suffix of `hay` that is a prefix of `needle`. Without one, the length of `hay`. */
function partialMatchStart(needle: Uint8Array, hay: Uint8Array): number {
  let at = hay.indexOf(needle[0]!, Math.max(0, hay.length - needle.length + 1))
  while (at !== -1) {
    const end = hay.subarray(at)
    if (end.every((byte, index) => byte === needle[index])) return at
    at = hay.indexOf(needle[0]!, at + 1)
  }
  return hay.length
}

const utf8 = new TextDecoder()

async function readHeader(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await readAtMost(chunks, maxHeaderBytes)
  if (!bytes) throw malformedForm('The header of a part exceeds 16 KiB.')
  return utf8.decode(bytes)
}

/** Reads all chunks. Returns null if they exceed `maxBytes`; the rest is read and discarded. */
export async function readAtMost(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  let bytes: Uint8Array = new Uint8Array()
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size <= maxBytes) bytes = concatBytes(bytes, chunk)
  }
  return size <= maxBytes ? bytes : null
}

function parseDisposition(header: string) {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(header)?.[1] ?? ''
  const value = (name: string) =>
    // Browsers escape only quotes and line breaks. A bare token is accepted too.
    new RegExp(`;\\s*${name}=("[^"]*"|[^\\s;"]+)`, 'i')
      .exec(disposition)?.[1]
      ?.replaceAll('"', '')
      .replace(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped))
  const name = value('name')
  if (name === undefined) throw malformedForm('A part has no name parameter.')
  return { name, filename: extendedFilename(disposition) ?? value('filename') }
}

/** Decodes `filename*` of RFC 5987, which curl uses for names beyond ASCII. */
function extendedFilename(disposition: string): string | undefined {
  const encoded = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw malformedForm('A filename is not valid UTF-8.')
  }
}

/**
 * Size of a file that starts at `offset` of a form of `length` bytes, if it is the last part, as it is in the forms
 * of nearly all clients. Undefined for a form of unknown length.
 */
export function lastPartSize(
  length: number | undefined,
  offset: number,
  boundary: string,
): number | undefined {
  if (length === undefined) return undefined
  const size = length - offset - `\r\n--${boundary}--\r\n`.length
  return size >= 0 ? size : undefined
}

async function skip(chunks: AsyncIterable<unknown>) {
  for await (const _ of chunks);
}

const malformedForm = (detail: string) =>
  invalid([{ path: '', message: `Malformed form: ${detail}` }])

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

function ascii(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}
