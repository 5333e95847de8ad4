import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'

type Fetch = (request: Request) => Response | Promise<Response>

export interface Listening {
  port: number
  /** Stops accepting requests, waits for running ones up to the grace period, then closes them. */
  close(graceMs: number): Promise<void>
}

export function listen(fetch: Fetch, port: number, hostname: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname, overrideGlobalObjects: false })
    server.once('error', reject)
    server.once('listening', () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        close: (graceMs) =>
          new Promise<void>((done) => {
            const cut = setTimeout(() => {
              if ('closeAllConnections' in server) server.closeAllConnections()
            }, graceMs)
            // Without this, a connection whose last request ends later stays open until its keep-alive expires.
            const idle = setInterval(() => {
              if ('closeIdleConnections' in server) server.closeIdleConnections()
            }, 50)
            server.close(() => {
              clearTimeout(cut)
              clearInterval(idle)
              done()
            })
          }),
      }),
    )
  })
}
