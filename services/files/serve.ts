import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import type { Content } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { fileNotFound, type StoredFile } from './access.ts'
import { contentDisposition } from './content-disposition.ts'
import type { Deps } from './deps.ts'
import type { File } from './file.ts'
import { rangeIn } from './range.ts'

const stringHeader = (description: string) => ({ description, schema: { type: 'string' } })
const headers = {
  ETag: stringHeader('SHA-256 of the file.'),
  'Content-Disposition': stringHeader('Filename by RFC 6266.'),
  'Accept-Ranges': stringHeader('Always `bytes`.'),
}
const byteContent: Content = { content: { '*/*': {} }, headers }

/** Responses and faults of endpoints that return file contents. */
export const byteResponses = {
  responses: {
    200: byteContent,
    206: {
      ...byteContent,
      headers: { ...headers, 'Content-Range': stringHeader('Range of the response body.') },
    },
    304: { content: {}, headers },
  },
  faults: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'] as const,
}

/** Responds with the file, the requested range, or 304 if the client has the current version. */
export async function serveFile(c: Context<Env<Deps>>, file: StoredFile): Promise<Response> {
  const etag = `"${file.sha256}"`
  const commonHeaders = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Disposition': contentDisposition(file.filename, file.contentType),
    // Permissions can change, so caches must revalidate. The bytes of a file never change.
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    // Uploaded content must not run as a page of this origin. PDF viewers of browsers do not work in a
    // sandbox.
    ...(file.contentType !== 'application/pdf' && {
      'Content-Security-Policy': "sandbox; default-src 'none'",
    }),
  }
  if (etagMatches(c.req.header('if-none-match'), etag)) return c.body(null, 304, commonHeaders)
  const range = requestedRange(c, file, etag)
  const size = range ? range.end - range.start + 1 : file.size
  const responseHeaders = {
    ...commonHeaders,
    'Content-Type': file.contentType,
    'Content-Length': String(size),
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${file.size}` }),
  }
  const status = range ? 206 : 200
  if (c.req.raw.method === 'HEAD') return c.body(null, status, responseHeaders)
  const body = await (await c.env.store()).get(file.storageKey, range)
  if (!body) throw fileNotFound(file.fileId)
  return c.body(body as ReadableStream, status, responseHeaders)
}

function requestedRange(c: Context, file: File, etag: string) {
  // If-Range with another ETag: send the whole file.
  const current = c.req.header('if-range') ?? etag
  const range = current === etag ? rangeIn(c.req.header('range'), file.size) : undefined
  if (range !== null) return range
  throw new Fault('RANGE_NOT_SATISFIABLE', `The file has ${file.size} bytes.`, {
    data: { size: file.size },
    headers: { 'Content-Range': `bytes */${file.size}` },
  })
}

const etagMatches = (header: string | undefined, etag: string) =>
  header?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
