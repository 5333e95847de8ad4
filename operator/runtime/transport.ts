import * as http from 'node:http'
import * as https from 'node:https'
import type { Access } from './access.ts'

export type Outgoing = {
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

export type Incoming = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: AsyncIterable<Uint8Array>
}

/** One request, one answer. Over HTTP in a cluster; tests give another. */
export type Transport = (request: Outgoing) => Promise<Incoming>

/** Connections are kept and used again, and probed by the system while nothing is said on them. */
export function httpTransport(access: Access): Transport {
  const { request, Agent } = access.server.protocol === 'http:' ? http : https
  const agent = new Agent({
    keepAlive: true,
    maxFreeSockets: 8,
    timeout: 60_000,
    ca: access.ca,
    cert: access.cert,
    key: access.key,
    rejectUnauthorized: !access.insecure,
    servername: access.serverName,
  })
  const base = access.server.pathname.replace(/\/$/, '')

  return async ({ method, path, headers, body, signal }) => {
    const [first, again] = [await access.token(), () => access.token(true)]
    const answer = await once(first)
    if (answer.status !== 401 || first === undefined) return answer
    const renewed = await again()
    if (renewed === first) return answer
    for await (const _ of answer.body);
    return once(renewed)

    function once(token: string | undefined): Promise<Incoming> {
      return new Promise((resolve, reject) => {
        const outgoing = request(new URL(base + path, access.server), {
          agent,
          method,
          signal,
          headers: {
            ...headers,
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            // Left to itself Node sends the body of a DELETE without saying where it ends.
            ...(body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }),
          },
        })
        outgoing.on('socket', (socket) => socket.setKeepAlive(true, 15_000))
        outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error))
        outgoing.on('response', (body) =>
          resolve({ status: body.statusCode!, headers: body.headers, body }),
        )
        outgoing.end(body)
      })
    }
  }
}
