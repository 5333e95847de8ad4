import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { FetchError } from './address.ts'
import type { Transport } from './transport.ts'

/**
 * HTTP over node:http. fetch() would resolve the host name a second time, which allows DNS rebinding.
 */
export const nodeTransport: Transport = {
  async resolve(name) {
    try {
      const found = await lookup(name, { all: true, verbatim: true })
      return found.map(({ address }) => address)
    } catch {
      throw new FetchError(`Host ${name} was not found.`, 1_000)
    }
  },

  async exchange({ url, address, method = 'GET', body: sentBody, headers, maxBytes, signal }) {
    const secure = url.protocol === 'https:'
    const options = {
      host: address,
      method,
      port: url.port || (secure ? 443 : 80),
      path: url.pathname + url.search,
      headers: {
        ...headers,
        host: url.host,
        ...(sentBody !== undefined && { 'content-length': Buffer.byteLength(sentBody) }),
      },
      // The certificate is verified against the host name, not the address.
      ...(secure && { servername: url.hostname }),
      agent: false as const,
      signal,
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (secure ? httpsRequest : httpRequest)(options, resolve)
      sent.once('error', reject)
      sent.end(sentBody)
    }).catch((cause: NodeJS.ErrnoException) => {
      signal.throwIfAborted()
      throw new FetchError(
        `${url.host} is unreachable (${cause.code ?? 'connection closed'}).`,
        1_000,
      )
    })
    const body = await readBody(response, maxBytes, signal)
    return { status: response.statusCode ?? 0, headers: toHeaders(response), body }
  },
}

async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal) {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > maxBytes) throw new FetchError(`The page exceeds ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown instanceof FetchError ? thrown : new FetchError('The response ended early.', 1_000)
  } finally {
    response.destroy()
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function toHeaders({ headers }: IncomingMessage): Headers {
  const found = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') found.set(name, value)
  }
  return found
}
