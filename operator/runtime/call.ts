import type { Metrics } from '../../services/_kit/metrics.ts'
import { ApiError } from './api-error.ts'
import type { Ref, Resource } from './objects.ts'
import { jittered, sleep, within } from './time.ts'
import type { Incoming, Transport } from './transport.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** A call as a role would name it: what `onCall` is told of each. */
export type Called = {
  verb: Verb
  group: string
  /** With its subresource: `legalsuites/status`. */
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
  deadline?: number | undefined
  /** May be sent again though it may have had its effect. */
  repeatable: boolean
}

export type CallerOptions = {
  transport: Transport
  metrics?: Metrics | undefined
  onCall?: ((call: Called) => void) | undefined
  attempts?: number
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

/** Sends calls, each attempt under a deadline, again where that is safe, and counts them. */
export function makeCaller({ transport, metrics, onCall, attempts = 4 }: CallerOptions) {
  async function open(call: Call, signal: AbortSignal): Promise<Incoming> {
    const began = performance.now()
    let code = 0
    try {
      const answer = await transport({
        method: methods[call.verb],
        path: pathOf(call),
        headers: headersOf(call),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        signal,
      })
      code = answer.status
      if (code >= 400) throw await errorOf(call, answer)
      return answer
    } finally {
      count(call, code, performance.now() - began)
    }
  }

  function count(call: Call, code: number, milliseconds: number) {
    const { group, plural } = call.resource
    const resource = call.subresource ? `${plural}/${call.subresource}` : plural
    const labels = { verb: call.verb, resource, code: code === 0 ? '<error>' : `${code}` }
    metrics?.count('rest_client_requests_total', labels)
    metrics?.time(
      'rest_client_request_duration_seconds',
      { verb: call.verb, resource },
      milliseconds,
    )
    const { namespace, name } = call.ref ?? {}
    onCall?.({ verb: call.verb, group, resource, namespace, name, code })
    // An apply that makes its object needs the right to create as well.
    if (call.verb === 'patch' && code === 201) {
      onCall?.({ verb: 'create', group, resource, namespace, name, code })
    }
  }

  async function send<T>(call: Call): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const limit = within(call.deadline ?? 15_000, call.signal)
      try {
        const answer = await open(call, limit.signal)
        return JSON.parse(await textOf(answer)) as T
      } catch (error) {
        const wait =
          call.signal?.aborted || attempt >= attempts ? undefined : pauseFor(call, error, attempt)
        if (wait === undefined) throw limit.signal.aborted ? limit.signal.reason : error
        await sleep(wait, call.signal)
        call.signal?.throwIfAborted()
      } finally {
        limit.end()
      }
    }
  }

  return { open, send }
}

export type Caller = ReturnType<typeof makeCaller>

/** How long to wait before the next attempt; `undefined` when there is to be none. */
function pauseFor({ repeatable }: Call, error: unknown, attempt: number): number | undefined {
  const pause = jittered(Math.min(100 * 2 ** (attempt - 1), 2_000))
  if (!(error instanceof ApiError)) return repeatable ? pause : undefined
  const refused = error.code === 429
  const failed = error.code >= 500 && error.code !== 501
  if (!refused && !(failed && repeatable)) return undefined
  return Math.max(pause, Math.min(error.retryAfter ?? 0, 10_000))
}

export function pathOf({ resource, ref, subresource, query = {} }: Call): string {
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

function headersOf({ accept = 'application/json', body, contentType = 'application/json' }: Call) {
  const headers: Record<string, string> = { accept, 'user-agent': 'legal-suite-operator' }
  if (body !== undefined) headers['content-type'] = contentType
  return headers
}

async function textOf({ body }: Incoming): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The message may quote what was sent, so of a Secret only the reason is kept. */
async function errorOf({ resource, verb, ref }: Call, answer: Incoming): Promise<ApiError> {
  const text = await textOf(answer)
  const status = statusIn(text)
  const reason = status.reason ?? `HTTP ${answer.status}`
  const said = resource.plural === 'secrets' ? reason : (status.message ?? reason)
  const seconds = Number(answer.headers['retry-after'] ?? status.details?.retryAfterSeconds)
  const what = [verb, resource.plural, ref?.namespace, ref?.name].filter(Boolean).join(' ')
  return new ApiError(
    answer.status,
    reason,
    `${what}: ${said}`,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  )
}

type Status = { reason?: string; message?: string; details?: { retryAfterSeconds?: number } }

function statusIn(text: string): Status {
  try {
    const body = JSON.parse(text)
    return body?.kind === 'Status' ? body : {}
  } catch {
    return {}
  }
}
