import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** In how many ways a server may fail. */
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

/** Something that passes requests on to a server, or fails in the way it is told. */
export async function unreliable(url: string) {
  let behaviour: Failure | 'pass' = 'pass'
  let requests = 0
  const say = (response: ServerResponse, status: number, body: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  const answers: Record<
    Failure | 'pass',
    (request: IncomingMessage, response: ServerResponse) => unknown
  > = {
    pass: (request, response) => pass(url, request, response),
    // Nobody listens, once those who are connected are gone.
    refuse: (request) => request.socket.destroy(),
    reset: (request) => request.socket.resetAndDestroy(),
    hang: () => {},
    trickle: (_, response) => trickle(response),
    forbid: (_, response) => say(response, 403, '{}'),
    busy: (_, response) => say(response, 429, '{}'),
    error: (_, response) => say(response, 500, 'no'),
    garbage: (_, response) => say(response, 200, '<html>'),
    odd: (_, response) => say(response, 200, '{"result": {"surprise": true}}'),
  }
  const server = createServer((request, response) => {
    requests++
    answers[behaviour](request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const leave = () =>
    new Promise<unknown>((left) => {
      server.close(left)
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    async behave(next: Failure | 'pass') {
      if (next === behaviour) return
      if (next === 'refuse') await leave()
      if (behaviour === 'refuse') await listen(port)
      behaviour = next
      // What hung goes on hanging; whoever waits for it has a deadline.
    },
    /** How many requests came since the last time. */
    requests() {
      const since = requests
      requests = 0
      return since
    },
    close: leave,
  }
}

async function pass(url: string, request: IncomingMessage, response: ServerResponse) {
  try {
    const { method = 'GET', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const key = headers['api-key']
    const answer = await fetch(url + request.url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(typeof key === 'string' ? { 'api-key': key } : {}),
      },
      ...(body.length > 0 ? { body } : {}),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  } catch {
    response.destroy()
  }
}

/** An answer that goes on and on and never ends. */
function trickle(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = setInterval(() => response.write(' '), 50)
  response.once('close', () => clearInterval(more))
}
