import { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import { httpPeers, type Peers, peerUrl } from '../_kit/peer.ts'

/** A response of at most this size is read at once; a larger one, or one of unknown size, is streamed. */
const maxBufferedBytes = 64 * 1024

/**
 * Peers over HTTP on Node. Requests without body are sent by the client of undici itself, which costs a third of
 * its `fetch`. Bodies are passed on as the peer sent them.
 */
export function undiciPeers(env: Record<string, string | undefined>): Peers {
  const dispatcher = new Agent()
  const peers = httpPeers(env)
  return (service) =>
    Object.assign(peers(service), {
      async send(path: string, { method = 'GET', headers, signal }: RequestInit) {
        const response = await request(peerUrl(env, service) + path, {
          dispatcher,
          method: method as Dispatcher.HttpMethod,
          headers: listRequestHeaders(headers as [string, string][]),
          signal: signal ?? null,
        })
        return toResponse(response, method)
      },
    })
}

const listRequestHeaders = (headers: [string, string][]): string[] => [
  ...headers.filter(([name]) => name !== 'accept-encoding').flat(),
  ...['accept-encoding', 'identity'],
]

async function toResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  method: string,
): Promise<Response> {
  const init = { status: statusCode, headers: listHeaders(headers) }
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (length === 0 || method === 'HEAD' || [204, 205, 304].includes(statusCode)) {
    await body.dump()
    return new Response(null, init)
  }
  return length <= maxBufferedBytes
    ? new Response(await body.arrayBuffer(), init)
    : new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, init)
}

const listHeaders = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    Array.isArray(value) ? value.map((each) => [name, each]) : [[name, value ?? '']],
  )
