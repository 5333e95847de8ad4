import { invalid } from '../_kit/fault.ts'

/** A part of a form; its body must have been read, or skipped, before the next part is asked for. */
export interface FormPart {
  name: string
  filename: string | undefined
  body: AsyncIterable<Uint8Array>
}

const maxHeaderBytes = 16 * 1024
const crlf = ascii('\r\n')
const blankLine = ascii('\r\n\r\n')

/** The boundary that a content type names, or undefined where it is no form. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!contentType || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined
  const named = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType)
  const boundary = named?.[1] ?? named?.[2] ?? ''
  if (/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) return boundary
  throw malformed('Its content type names no usable boundary.')
}

/**
 * The parts of multipart/form-data as they come. Nothing is held but the end of a chunk that may turn out
 * to be the beginning of a boundary.
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
    if (after !== '\r\n')
      throw malformed('A boundary is followed by something else than a line end.')
    source.putBack(crlf)
    const header = await readHeader(source.until(blankLine))
    const part = { ...named(header), body: source.until(delimiter) }
    yield part
    await skip(part.body)
  }
}

/** Reads to one byte sequence after another. */
function makeScanner(body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]()
  // A boundary stands at the start of a line, and the first line has no end before it.
  let buffered: Uint8Array = crlf

  async function fill() {
    const { done, value } = await chunks.next()
    if (done) throw malformed('It ends before its last boundary.')
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
    async take(count: number): Promise<string> {
      while (buffered.length < count) await fill()
      const taken = buffered.subarray(0, count)
      buffered = buffered.subarray(count)
      return String.fromCharCode(...taken)
    },
    putBack(bytes: Uint8Array) {
      buffered = concatBytes(bytes, buffered)
    },
    /** What follows the last boundary means nothing, and is read all the same. */
    async finish() {
      while (!(await chunks.next()).done);
    },
  }
}

/** Horspool's search. A needle begins with a CR and a boundary holds none, so no byte is compared often. */
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

/** Where the end of `hay` may be the beginning of a needle, or else its length. */
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
  if (!bytes) throw malformed('The header of a part is too long.')
  return utf8.decode(bytes)
}

/** All of it, or null when it is more than `most`; the rest is read all the same. */
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

function named(header: string) {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(header)?.[1] ?? ''
  const value = (name: string) =>
    // As browsers write it, where only quotes and line ends are escaped; or a bare word.
    new RegExp(`;\\s*${name}=("[^"]*"|[^\\s;"]+)`, 'i')
      .exec(disposition)?.[1]
      ?.replaceAll('"', '')
      .replace(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped))
  const name = value('name')
  if (name === undefined) throw malformed('A part has no name.')
  return { name, filename: extendedFilename(disposition) ?? value('filename') }
}

/** RFC 5987, which curl and others use for names beyond ASCII. */
function extendedFilename(disposition: string): string | undefined {
  const encoded = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw malformed('A filename is not UTF-8.')
  }
}

async function skip(chunks: AsyncIterable<unknown>) {
  for await (const _ of chunks);
}

const malformed = (detail: string) =>
  invalid([{ path: '', message: `The form is malformed. ${detail}` }])

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

function ascii(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}
