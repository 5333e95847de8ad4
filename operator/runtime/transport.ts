import * as http from 'node:http'
import * as https from 'node:https'
import type { Access } from './access.ts'

export type TransportRequest = {
  method: string
  /** Path with query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

export type TransportResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: AsyncIterable<Uint8Array>
}

/** Sends one request. Tests replace it. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** HTTP transport with connection reuse and TCP keep-alive. */
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
    const [token, renewToken] = [await access.token(), () => access.token(true)]
    const response = await sendOnce(token)
    if (response.status !== 401 || token === undefined) return response
    const renewed = await renewToken()
    if (renewed === token) return response
    for await (const _ of response.body);
    return sendOnce(renewed)

    function sendOnce(token: string | undefined): Promise<TransportResponse> {
      return new Promise((resolve, reject) => {
        const outgoing = request(new URL(base + path, access.server), {
          agent,
          method,
          signal,
          headers: {
            ...headers,
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            // Without it Node would send the body of a DELETE without a length.
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
