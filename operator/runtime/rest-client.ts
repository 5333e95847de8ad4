import type { V1Status } from '@kubernetes/client-node/dist/gen/models/V1Status.js'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { ApiError } from './api-error.ts'
import type { Ref, Resource } from './objects.ts'
import { sleep, withDeadline, withJitter } from './time.ts'
import type { Transport, TransportResponse } from './transport.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** A call in terms of RBAC, passed to `onCall`. */
export type CallRecord = {
  verb: Verb
  group: string
  /** Includes the subresource: `legalsuites/status`. */
  resource: string
  namespace: string | undefined
  name: string | undefined
  code: number
}

export type Call = {
  verb: Verb
  resource: Resource
  ref?: Partial<Ref> | undefined
  subresource?: string | undefined
  query?: Record<string, string | number | boolean | undefined>
  accept?: string | undefined
  contentType?: string
  body?: unknown
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  /** Whether the call may be sent again after an unknown outcome. */
  retryable: boolean
}

export type RestClientOptions = {
  transport: Transport
  metrics?: Metrics | undefined
  onCall?: ((call: CallRecord) => void) | undefined
  maxAttempts?: number
}

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** Sends calls with deadlines, retries and metrics. */
export function makeRestClient({ transport, metrics, onCall, maxAttempts = 4 }: RestClientOptions) {
  async function open(call: Call, signal: AbortSignal): Promise<TransportResponse> {
    const startedAt = performance.now()
    let code = 0
    try {
      const response = await transport({
        method: methods[call.verb],
        path: buildPath(call),
        headers: buildHeaders(call),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        signal,
      })
      code = response.status
      if (code >= 400) throw await toApiError(call, response)
      return response
    } finally {
      recordCall(call, code, performance.now() - startedAt)
    }
  }

  function recordCall(call: Call, code: number, durationMs: number) {
    const { group, plural } = call.resource
    const resource = call.subresource ? `${plural}/${call.subresource}` : plural
    const labels = { verb: call.verb, resource, code: code === 0 ? '<error>' : `${code}` }
    metrics?.count('rest_client_requests_total', labels)
    metrics?.time('rest_client_request_duration_seconds', { verb: call.verb, resource }, durationMs)
    const { namespace, name } = call.ref ?? {}
    onCall?.({ verb: call.verb, group, resource, namespace, name, code })
    // An apply that creates its object also needs the `create` permission.
    if (call.verb === 'patch' && code === 201) {
      onCall?.({ verb: 'create', group, resource, namespace, name, code })
    }
  }

  async function send<T>(call: Call): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const deadline = withDeadline(call.deadlineMs ?? 15_000, call.signal)
      try {
        const response = await open(call, deadline.signal)
        return JSON.parse(await readText(response)) as T
      } catch (error) {
        const delayMs =
          call.signal?.aborted || attempt >= maxAttempts
            ? undefined
            : retryDelay(call, error, attempt)
        if (delayMs === undefined) throw deadline.signal.aborted ? deadline.signal.reason : error
        await sleep(delayMs, call.signal)
        call.signal?.throwIfAborted()
      } finally {
        deadline.end()
      }
    }
  }

  return { open, send }
}

export type RestClient = ReturnType<typeof makeRestClient>

/** Returns the delay before the next attempt, or undefined if there is none. */
function retryDelay({ retryable }: Call, error: unknown, attempt: number): number | undefined {
  const delayMs = withJitter(Math.min(100 * 2 ** (attempt - 1), 2_000))
  if (!(error instanceof ApiError)) return retryable ? delayMs : undefined
  const throttled = error.code === 429
  const failed = error.code >= 500 && error.code !== 501
  if (!throttled && !(failed && retryable)) return undefined
  return Math.max(delayMs, Math.min(error.retryAfter ?? 0, 10_000))
}

export function buildPath({ resource, ref, subresource, query = {} }: Call): string {
  const { group, version, plural, namespaced } = resource
  const parts = group ? ['apis', group, version] : ['api', version]
  if (namespaced && ref?.namespace) parts.push('namespaces', ref.namespace)
  if (plural) parts.push(plural)
  if (ref?.name) parts.push(ref.name)
  if (subresource) parts.push(subresource)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) search.set(name, String(value))
  }
  const path = `/${parts.map(encodeURIComponent).join('/')}`
  return search.size ? `${path}?${search}` : path
}

function buildHeaders({
  accept = 'application/json',
  body,
  contentType = 'application/json',
}: Call) {
  const headers: Record<string, string> = { accept, 'user-agent': 'legal-suite-operator' }
  if (body !== undefined) headers['content-type'] = contentType
  return headers
}

async function readText({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The message can quote the request, so for Secrets only the reason is kept. */
async function toApiError(
  { resource, verb, ref }: Call,
  response: TransportResponse,
): Promise<ApiError> {
  const text = await readText(response)
  const status = parseStatus(text)
  const reason = status.reason ?? `HTTP ${response.status}`
  const message = resource.plural === 'secrets' ? reason : (status.message ?? reason)
  const seconds = Number(response.headers['retry-after'] ?? status.details?.retryAfterSeconds)
  const target = [verb, resource.plural, ref?.namespace, ref?.name].filter(Boolean).join(' ')
  return new ApiError(
    response.status,
    reason,
    `${target}: ${message}`,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  )
}

function parseStatus(text: string): V1Status {
  try {
    const body = JSON.parse(text)
    return body?.kind === 'Status' ? body : {}
  } catch {
    return {}
  }
}
