import * as z from 'zod'
import { type Circuit, makeCircuit } from './circuit.ts'
import { Fault, faultFrom } from './fault.ts'
import { identityHeaders } from './identity.ts'
import type { Keys } from './keys.ts'
import type { Metrics } from './metrics.ts'

/** Another service, reached by HTTP, by a binding on the edge, or in this same process. */
export type Peer = (buildRequest: Request) => Response | Promise<Response>
export type Peers = (service: string) => Peer

const Envelope = z.object({
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  data: z.unknown(),
})

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  /** The request on whose behalf we ask: its id, trace and identity go along. */
  from?: { headers: Headers; requestId: string; traceparent: string }
  headers?: Record<string, string>
  deadlineMs?: number
  /** A write that may be sent twice because the peer makes it once; reads always may. */
  idempotent?: boolean
}

/** A client of one service: asks, opens the envelope, checks what came. */
export interface Client {
  request<T>(schema: z.ZodType<T>, path: string, options?: RequestOptions): Promise<T>
  /** An answer to be read as it comes. The deadline is for its beginning; a fault is thrown as one. */
  stream(path: string, options?: RequestOptions): Promise<Response>
}

const tries = 3

export function makeClient(
  service: string,
  peer: Peer,
  keys: () => Keys,
  metrics: Metrics,
  circuit: Circuit = makeCircuit(),
): Client {
  const unavailable = (cause?: unknown) =>
    new Fault('UPSTREAM_UNAVAILABLE', `${service} does not answer; try again later.`, { cause })

  /** Asks once, for as long as the deadline lets `read` take over the answer. */
  async function sendOnce<T>(
    path: string,
    options: RequestOptions,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    if (circuit.open()) throw unavailable()
    const started = performance.now()
    let status = 'none'
    try {
      const answer = await withDeadline(options.deadlineMs ?? 10_000, async (signal) => {
        const response = await peer(buildRequest(path, options, keys(), signal))
        status = String(response.status)
        return read(response)
      })
      circuit.succeeded()
      return answer
    } catch (thrown) {
      if (thrown instanceof Fault) {
        circuit.succeeded()
        throw thrown
      }
      circuit.failed()
      throw unavailable(thrown)
    } finally {
      metrics.count('upstream_requests_total', { service, status })
      metrics.time('upstream_request_seconds', { service }, performance.now() - started)
    }
  }

  /** The data of an envelope; a fault is thrown as it was there. */
  async function unwrapEnvelope(response: Response): Promise<unknown> {
    const { code, message, data } = Envelope.parse(await response.json())
    if (code !== 0) throw faultFrom(response.status, String(code), message, data)
    return data
  }

  return {
    async request(schema, path, options = {}) {
      const safe = (options.method ?? 'GET') === 'GET' || options.idempotent === true
      for (let attempt = 1; ; attempt++) {
        try {
          return schema.parse(await sendOnce(path, options, unwrapEnvelope))
        } catch (thrown) {
          if (thrown instanceof z.ZodError) throw unavailable(thrown)
          const again = safe && attempt < tries && !circuit.open()
          if (!(again && thrown instanceof Fault && thrown.retryable)) throw thrown
          await new Promise((go) => setTimeout(go, 2 ** attempt * 25 * (0.5 + Math.random())))
        }
      }
    },

    stream: (path, options = {}) =>
      sendOnce(path, options, async (response) => {
        if (response.ok) return response
        await unwrapEnvelope(response)
        throw new Error(`${service} answered ${response.status} and no fault`)
      }),
  }
}

function buildRequest(
  path: string,
  options: RequestOptions,
  keys: Keys,
  signal: AbortSignal,
): Request {
  const { from, body } = options
  return new Request(`http://peer${path}`, {
    method: options.method ?? 'GET',
    signal,
    headers: {
      'x-internal-api-key': keys.current,
      ...(from && {
        ...identityHeaders(from.headers),
        'x-request-id': from.requestId,
        traceparent: from.traceparent,
      }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** A peer in this process knows no sockets to time out, so the deadline is kept here. */
async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer within ${ms} ms`)
      reject(error)
      controller.abort(error)
    }, ms)
  })
  try {
    return await Promise.race([work(controller.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Peers over HTTP: the address is in <SERVICE>_URL, or the service's name is a host. */
export const httpPeers =
  (env: Record<string, string | undefined>): Peers =>
  (service) =>
  async (buildRequest) => {
    const base = (env[addressVariable(service)] ?? `http://${service}`).replace(/\/$/, '')
    const { pathname, search } = new URL(buildRequest.url)
    return fetch(base + pathname + search, {
      method: buildRequest.method,
      headers: buildRequest.headers,
      body: buildRequest.body ? await buildRequest.arrayBuffer() : null,
      signal: buildRequest.signal,
      redirect: 'manual',
    })
  }

export const addressVariable = (service: string) =>
  `${service.toUpperCase().replaceAll('-', '_')}_URL`
