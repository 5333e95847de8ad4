import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { type Log, silent } from '../_kit/log.ts'
import { sendBody } from './send-body.ts'
import { sendText } from './send-text.ts'

type Fetch = (
  request: Request,
  remoteAddress?: string,
  sendsText?: boolean,
) => Response | Promise<Response>

export interface Listening {
  port: number
  /**
   * Drains the server. Requests are served on open and new connections with `Connection: close` until no
   * connection is left or the drain time is over. Then the server stops accepting and waits for running
   * requests up to the grace period.
   */
  close(graceMs: number): Promise<void>
}

/** Minimum time to accept connections from load balancers that do not know of the shutdown yet. */
const minDrainMs = 500
/** Time for clients to reuse an idle connection once more. The response then closes the connection. */
const maxDrainMs = 3_000

export function listen(
  fetch: Fetch,
  port: number,
  hostname: string,
  log: Log = silent,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({
      fetch: async (request, { incoming, outgoing }) => {
        const response = await fetch(request, incoming.socket.remoteAddress, true)
        const to = outgoing as ServerResponse
        return sendBody(sendText(response, to), to, log)
      },
      port,
      hostname,
      overrideGlobalObjects: false,
    }) as Server
    const announceClose = closeAfterResponse(server)
    server.once('error', reject)
    server.once('listening', () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        async close(graceMs) {
          const deadline = Date.now() + graceMs
          announceClose()
          await pause(Math.min(minDrainMs, graceMs / 2))
          const drainUntil = deadline - graceMs + Math.min(maxDrainMs, graceMs / 2)
          while (Date.now() < drainUntil && (await connectionCount(server)) > 0) await pause(20)
          await closeServer(server, deadline)
        },
      }),
    )
  })
}

/** Returns a function after whose call every response carries `Connection: close`. */
function closeAfterResponse(server: Server) {
  const unfinished = new Set<ServerResponse>()
  let draining = false
  server.prependListener('request', (_, response: ServerResponse) => {
    if (draining) response.shouldKeepAlive = false
    unfinished.add(response)
    response.once('close', () => unfinished.delete(response))
  })
  return () => {
    draining = true
    for (const response of unfinished) if (!response.headersSent) response.shouldKeepAlive = false
  }
}

const connectionCount = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)))

function closeServer(server: Server, deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), Math.max(0, deadline - Date.now()))
    // A connection whose last request ends later would stay open until its keep-alive expires.
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(idle)
      resolve()
    })
  })
}
