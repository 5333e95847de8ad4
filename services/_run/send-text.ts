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
  const headers: Record<string, string | string[] | number> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  headers['content-length'] = Buffer.byteLength(text)
  outgoing.writeHead(response.status, headers)
  outgoing.end(text)
  return RESPONSE_ALREADY_SENT
}
