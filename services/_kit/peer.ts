import * as z from 'zod'
import { type Circuit, makeCircuit } from './circuit.ts'
import { Fault, faultFrom } from './fault.ts'
import { identityHeaders } from './identity.ts'
import type { Keys } from './keys.ts'
import type { Metrics } from './metrics.ts'

/** Transport to another service: HTTP, a workerd binding, or a call within the process. */
export interface Peer {
  (request: Request): Response | Promise<Response>
  /** Sends a request without body to a path. HTTP only: it saves one of two requests that are built. Headers are pairs. */
  send?(path: string, init: RequestInit): Promise<Response>
}
export type Peers = (service: string) => Peer

const Envelope = z.object({
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  data: z.unknown(),
})

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON; FormData is sent as multipart/form-data. */
  body?: unknown
  /** The request being handled: its id, trace and identity are forwarded. */
  from?: { headers: Headers; requestId: string; traceparent: string }
  headers?: Record<string, string>
  deadlineMs?: number
  /** A write that is safe to retry because the peer deduplicates it. GET is always retried. */
  idempotent?: boolean
}

/** HTTP client of one service: unwraps the envelope and validates the data. */
export interface Client {
  request<T>(schema: z.ZodType<T>, path: string, options?: RequestOptions): Promise<T>
  /** Returns the response unread. The deadline covers the response headers; a fault is thrown. */
  stream(path: string, options?: RequestOptions): Promise<Response>
}

const maxAttempts = 3

export function makeClient(
  service: string,
  peer: Peer,
  keys: () => Keys,
  metrics: Metrics,
  circuit: Circuit = makeCircuit(),
): Client {
  const unavailable = (cause?: unknown) =>
    new Fault('UPSTREAM_UNAVAILABLE', `${service} is not available. Try again later.`, { cause })

  /** Sends one request. The deadline covers the response and `read`. */
  async function sendOnce<T>(
    path: string,
    options: RequestOptions,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    if (circuit.open()) throw unavailable()
    const started = performance.now()
    let status = 'none'
    try {
      const result = await withDeadline(options.deadlineMs ?? 10_000, async (signal) => {
        const response = await peer(buildRequest(path, options, keys(), signal))
        status = String(response.status)
        return read(response)
      })
      circuit.recordSuccess()
      return result
    } catch (thrown) {
      if (thrown instanceof Fault) {
        circuit.recordSuccess()
        // The peer does not accept the key, such as during a rotation: no fault of the caller's request.
        if (thrown.kind === 'UNAUTHENTICATED') throw unavailable(thrown)
        throw thrown
      }
      circuit.recordFailure()
      throw unavailable(thrown)
    } finally {
      metrics.count('upstream_requests_total', { service, status })
      metrics.time('upstream_request_seconds', { service }, performance.now() - started)
    }
  }

  /** Returns the data of the envelope or throws the fault of the peer. */
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
          const retry = safe && attempt < maxAttempts && !circuit.open()
          if (!(retry && thrown instanceof Fault && thrown.retryable)) throw thrown
          await new Promise((go) => setTimeout(go, 2 ** attempt * 25 * (0.5 + Math.random())))
        }
      }
    },

    stream: (path, options = {}) =>
      sendOnce(path, options, async (response) => {
        if (response.ok) return response
        await unwrapEnvelope(response)
        throw new Error(`${service} responded ${response.status} without a fault`)
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
  const isForm = body instanceof FormData
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
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
}

/** Enforces a deadline. A peer within the process has no socket that could time out. */
async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no response within ${ms} ms`)
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

/** Base URL of a service: <SERVICE>_URL, by default the service name is the host. */
export const peerUrl = (env: Record<string, string | undefined>, service: string) =>
  (env[addressVariable(service)] ?? `http://${service}`).replace(/\/$/, '')

/** Peers over HTTP. */
export const httpPeers =
  (env: Record<string, string | undefined>): Peers =>
  (service) => {
    const base = peerUrl(env, service)
    const peer = async (request: Request) => {
      const { pathname, search } = new URL(request.url)
      const init: RequestInit & { duplex: 'half' } = {
        method: request.method,
        headers: request.headers,
        body: isStreamed(request) ? request.body : request.body && (await request.arrayBuffer()),
        duplex: 'half',
        signal: request.signal,
        redirect: 'manual',
      }
      return fetch(base + pathname + search, init)
    }
    return Object.assign(peer, {
      send: (path: string, init: RequestInit) =>
        fetch(base + path, { ...init, redirect: 'manual' }),
    })
  }

/** JSON is sent at once, with its length; anything else (uploads) is streamed. */
const isStreamed = ({ headers }: Request) =>
  !(headers.get('content-type') ?? 'application/json').startsWith('application/json')

export const addressVariable = (service: string) =>
  `${service.toUpperCase().replaceAll('-', '_')}_URL`
