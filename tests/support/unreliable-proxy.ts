import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Failure modes of a server. */
export const failures = [
  'refuse',
  'reset',
  'hang',
  'trickle',
  'forbid',
  'busy',
  'error',
  'garbage',
  'odd',
] as const
export type Failure = (typeof failures)[number]

/** An HTTP proxy that forwards requests or fails as configured. */
export async function unreliableProxy(url: string) {
  let behaviour: Failure | 'pass' = 'pass'
  let requests = 0
  const send = (response: ServerResponse, status: number, body: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  const handlers: Record<
    Failure | 'pass',
    (request: IncomingMessage, response: ServerResponse) => unknown
  > = {
    pass: (request, response) => forward(url, request, response),
    // Also closes connections that are still open.
    refuse: (request) => request.socket.destroy(),
    reset: (request) => request.socket.resetAndDestroy(),
    hang: () => {},
    trickle: (_, response) => trickle(response),
    forbid: (_, response) => send(response, 403, '{}'),
    busy: (_, response) => send(response, 429, '{}'),
    error: (_, response) => send(response, 500, 'no'),
    garbage: (_, response) => send(response, 200, '<html>'),
    odd: (_, response) => send(response, 200, '{"result": {"surprise": true}}'),
  }
  const server = createServer((request, response) => {
    requests++
    handlers[behaviour](request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const stopListening = () =>
    new Promise<unknown>((left) => {
      server.close(left)
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    async behave(next: Failure | 'pass') {
      if (next === behaviour) return
      if (next === 'refuse') await stopListening()
      if (behaviour === 'refuse') await listen(port)
      behaviour = next
      // Hanging requests keep hanging; their clients have a deadline.
    },
    /** Returns and resets the number of requests. */
    requests() {
      const since = requests
      requests = 0
      return since
    },
    close: stopListening,
  }
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse) {
  try {
    const { method = 'GET', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const key = headers['api-key']
    const upstream = await fetch(url + request.url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(typeof key === 'string' ? { 'api-key': key } : {}),
      },
      ...(body.length > 0 ? { body } : {}),
    })
    response.writeHead(upstream.status, { 'content-type': 'application/json' })
    response.end(Buffer.from(await upstream.arrayBuffer()))
  } catch {
    response.destroy()
  }
}

/** Sends a response that never ends. */
function trickle(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = setInterval(() => response.write(' '), 50)
  response.once('close', () => clearInterval(more))
}
