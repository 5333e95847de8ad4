import type { Context } from 'hono'
import type { Env } from './endpoint.ts'
import { Fault, toFault } from './fault.ts'
import { newId, randomHex } from './ids.ts'
import { accepts } from './keys.ts'
import { errorFields } from './log.ts'

export type Handler<Deps extends object> = (c: Context<Env<Deps>>) => Response | Promise<Response>

const internal = /^(\/api\/v1)?\/internal(\/|$)/
const probes = /^(\/api\/v1)?\/internal\/actuator\/health(\/liveness|\/readiness)?$/
/** Prometheus can send a secret in no other header. */
const metrics = '/api/v1/internal/actuator/prometheus'
const bearer = (headers: Headers) =>
  /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null

/**
 * Answers a request by its handler: names it, asks for the key on internal paths, turns what is thrown
 * into an answer, and tells log and metrics how it went: by route, never by what it carried.
 */
export async function observe<Deps extends object>(
  c: Context<Env<Deps>>,
  route: string,
  handle: Handler<Deps>,
): Promise<Response> {
  const started = performance.now()
  const { method, path, raw } = c.req
  const requestId = requestIdFrom(raw.headers.get('x-request-id'))
  const traceparent = traceparentFrom(raw.headers.get('traceparent'))
  c.set('requestId', requestId)
  c.set('traceparent', traceparent)
  const probe = probes.test(path)
  let failure: Fault | undefined
  let answer: Response
  try {
    if (!probe && internal.test(path)) requireInternalKey(c)
    answer = await handle(c)
  } catch (thrown) {
    const fault = toFault(thrown)
    if (fault.status >= 500) failure = fault
    answer = c.json(fault.toJSON(), fault.status, fault.headers)
  }
  answer = withRequestId(answer, requestId)

  const { log, metrics } = c.env.kit
  const { status } = answer
  const ms = performance.now() - started
  metrics.count('http_requests_total', { method, route, status: String(status) })
  metrics.time('http_request_seconds', { method, route }, ms)
  if (probe && status === 200) return answer
  const fields = {
    request_id: requestId,
    trace_id: traceparent.slice(3, 35),
    method,
    route,
    status,
    ms: Math.round(ms * 10) / 10,
  }
  if (failure) log.error({ ...fields, ...errorFields(failure.cause ?? failure) }, failure.code)
  else log.info(fields, 'request')
  return answer
}

/** Internal paths are for those who hold the key. Probes need none. */
function requireInternalKey<Deps extends object>(c: Context<Env<Deps>>) {
  const { headers } = c.req.raw
  const given =
    headers.get('x-internal-api-key') ?? (c.req.path === metrics ? bearer(headers) : null)
  if (!given || !accepts(c.env.kit.keys(), given)) {
    throw new Fault('UNAUTHENTICATED', 'Send the internal key in X-Internal-Api-Key.')
  }
}

/** Set on the finished answer: headers set before it would be copied into it one by one. */
function withRequestId(answer: Response, requestId: string): Response {
  try {
    answer.headers.set('X-Request-Id', requestId)
    return answer
  } catch {
    // One that was passed on as it came can't be changed; a copy can.
    return withRequestId(new Response(answer.body, answer), requestId)
  }
}

const requestIdFrom = (given: string | null) =>
  given && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : newId()

/** The same trace with a span of ours, or a trace of our own where none was sent. */
function traceparentFrom(given: string | null): string {
  const trace = given
    ? /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})$/.exec(given)
    : null
  return `00-${trace?.[1] ?? randomHex(16)}-${randomHex(8)}-${trace?.[2] ?? '01'}`
}
