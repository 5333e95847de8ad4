import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { knownText } from '../_kit/response-text.ts'

/**
 * Sends a response whose text is known; others are returned. Reading the stream of a response takes longer
 * than everything else that the kit does for a request.
 */
export function sendText(response: Response, outgoing: ServerResponse): Response {
  const text = knownText(response)
  if (text === undefined || outgoing.headersSent) return response
  outgoing.writeHead(response.status, {
    ...listHeaders(response.headers),
    'content-length': Buffer.byteLength(text),
  })
  outgoing.end(text)
  return RESPONSE_ALREADY_SENT
}

/** Headers in the form of Node: one value each, but for cookies. */
export function listHeaders(headers: Headers): Record<string, string | string[]> {
  const list: Record<string, string | string[]> = {}
  headers.forEach((value, name) => {
    list[name] = value
  })
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) list['set-cookie'] = cookies
  return list
}
