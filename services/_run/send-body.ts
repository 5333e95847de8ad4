import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { errorFields, type Log } from '../_kit/log.ts'
import { listHeaders } from './send-text.ts'

/**
 * Sends a response with a body; one without is returned. A body that fails, or that is shorter than its length, closes
 * the connection: the client must not take a part for the whole, nor the next response for the rest.
 */
export function sendBody(response: Response, outgoing: ServerResponse, log: Log): Response {
  const { body } = response
  if (!body || outgoing.headersSent) return response
  if (outgoing.destroyed) {
    // The client left before the response.
    body.cancel().catch(() => {})
    return RESPONSE_ALREADY_SENT
  }
  outgoing.strictContentLength = true
  outgoing.writeHead(response.status, {
    'content-type': 'text/plain; charset=UTF-8',
    ...listHeaders(response.headers),
  })
  copy(body, outgoing).catch((thrown) => {
    log.warn(errorFields(thrown), 'response body failed')
    outgoing.destroy()
  })
  return RESPONSE_ALREADY_SENT
}

/** Copies a body to a client as fast as the client reads. A client that leaves cancels the body. */
async function copy(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader()
  let resume = () => {}
  outgoing.on('drain', () => resume())
  outgoing.once('close', () => {
    resume()
    reader.cancel().catch(() => {})
  })
  // The headers wait for the first bytes, but not for those of a stream that is silent at first.
  const flush = setImmediate(() => outgoing.flushHeaders())
  let chunk = await reader.read()
  clearImmediate(flush)
  for (; !chunk.done && !outgoing.destroyed; chunk = await reader.read()) {
    if (!outgoing.write(chunk.value))
      await new Promise<void>((resolve) => {
        resume = resolve
      })
  }
  if (!outgoing.destroyed) outgoing.end()
}
