import { Fault, invalid } from './fault.ts'

export const jsonLimit = 1024 * 1024
const maxDepth = 64

/** Reads the body as text and JSON; `value` is undefined for an empty body. Every malformed body is a 4xx. */
export async function readJson(request: Request, limit: number) {
  const type = request.headers.get('content-type')
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) return { text: '', value: undefined }
  if (type && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.')
  }
  const text = decodeUtf8(bytes)
  const value = parseJson(text)
  const fault = findUnstorable(value, maxDepth)
  if (fault) throw invalid([{ path: fault.path.join('.'), message: fault.message }])
  return { text, value }
}

/** Reads the body. Throws PAYLOAD_TOO_LARGE beyond `limit` bytes. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Fault('PAYLOAD_TOO_LARGE', `The request body exceeds the limit of ${limit} bytes.`, {
      data: { limit },
    })
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) throw tooLarge()
  // Fast path: a declared length within the limit is read at once, without a stream.
  if (announced > 0) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > limit) throw tooLarge()
    return bytes
  }
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid([{ path: '', message: 'The request body is not valid UTF-8.' }])
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid([{ path: '', message: 'The request body is not valid JSON.' }])
  }
}

type UnstorableValue = { path: string[]; message: string }

/** Finds a value that is valid JSON but cannot be stored: NUL, a lone surrogate, 1e999, excessive nesting. */
function findUnstorable(value: unknown, depth: number): UnstorableValue | null {
  if (typeof value === 'string') {
    const message = textProblem(value)
    return message ? { path: [], message } : null
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : { path: [], message: 'The number is out of range.' }
  }
  if (value === null || typeof value !== 'object') return null
  if (depth === 0)
    return { path: [], message: `The value is nested deeper than ${maxDepth} levels.` }
  for (const [key, member] of Object.entries(value)) {
    const message = textProblem(key)
    if (message) return { path: [], message: `Member name: ${message}` }
    const fault = findUnstorable(member, depth - 1)
    if (fault) return { path: [key, ...fault.path], message: fault.message }
  }
  return null
}

/** Returns the reason why a text from outside cannot be stored, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'NUL characters are not allowed.'
  return text.isWellFormed() ? null : 'The text contains a lone surrogate.'
}
