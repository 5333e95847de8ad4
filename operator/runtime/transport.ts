import * as http from 'node:http'
import * as https from 'node:https'
import type { Access } from './access.ts'
import { type Credentials, isSameIdentity } from './credentials.ts'
import { untilAborted } from './time.ts'

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

/**
 * HTTP transport with connection reuse and TCP keep-alive. The agent keeps connections apart by their TLS
 * options, so a rotated client certificate opens new ones.
 */
export function httpTransport(access: Access): Transport {
  const { request, Agent } = access.server.protocol === 'http:' ? http : https
  const proxyEnv = access.proxy && { HTTPS_PROXY: access.proxy, HTTP_PROXY: access.proxy }
  const agent = new Agent({
    keepAlive: true,
    maxFreeSockets: 8,
    timeout: 60_000,
    ...(proxyEnv && { proxyEnv }),
  })
  const base = access.server.pathname.replace(/\/$/, '')

  return async ({ method, path, headers, body, signal }) => {
    const credentials = await untilAborted(access.credentials(), signal)
    const response = await sendOnce(credentials)
    if (response.status !== 401) return response
    const renewed = await untilAborted(access.credentials(credentials), signal)
    if (isSameIdentity(renewed, credentials)) return response
    for await (const _ of response.body);
    return sendOnce(renewed)

    function sendOnce(credentials: Credentials): Promise<TransportResponse> {
      return new Promise((resolve, reject) => {
        const outgoing = request(new URL(base + path, access.server), {
          ...credentials.tls,
          agent: credentials.agent ?? agent,
          method,
          signal,
          headers: {
            ...headers,
            ...credentials.headers,
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
