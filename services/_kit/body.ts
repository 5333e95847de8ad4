import { Fault, invalid } from './fault.ts'

export const jsonLimit = 1024 * 1024
const deepest = 64

/** The body as text and as JSON; undefined where there is none. Everything a body can do wrong is 4xx. */
export async function readJson(request: Request, limit: number) {
  const type = request.headers.get('content-type')
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) return { text: '', value: undefined }
  if (type && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  const text = decoded(bytes)
  const value = parsed(text)
  const fault = findUnstorable(value, deepest)
  if (fault) throw invalid([{ path: fault.path.join('.'), message: fault.message }])
  return { text, value }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Fault('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, { data: { limit } })
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) throw tooLarge()
  // Its length is announced and small: one read, and no stream is made of it.
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

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid([{ path: '', message: 'The body is not UTF-8.' }])
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid([{ path: '', message: 'The body is not valid JSON.' }])
  }
}

type Absurdity = { path: string[]; message: string }

/** What JSON can say and a database can't keep: NUL, half a surrogate pair, 1e999, endless nesting. */
function findUnstorable(value: unknown, depth: number): Absurdity | null {
  if (typeof value === 'string') {
    const message = textProblem(value)
    return message ? { path: [], message } : null
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : { path: [], message: 'The number is too large.' }
  }
  if (value === null || typeof value !== 'object') return null
  if (depth === 0) return { path: [], message: `Nested deeper than ${deepest} levels.` }
  for (const [key, member] of Object.entries(value)) {
    const message = textProblem(key)
    if (message) return { path: [], message: `A member's name: ${message}` }
    const fault = findUnstorable(member, depth - 1)
    if (fault) return { path: [key, ...fault.path], message: fault.message }
  }
  return null
}

/** What is wrong with a text that came from outside, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'NUL characters are not allowed.'
  return text.isWellFormed() ? null : 'The text holds half a surrogate pair.'
}
