import type { Context } from 'hono'
import type { Env, Handler } from './context.ts'
import { Fault, toFault } from './fault.ts'
import { newId, randomHex } from './ids.ts'
import { accepts, equalInConstantTime } from './keys.ts'
import { errorFields } from './log.ts'

const internal = /^(\/api\/v1)?\/internal(\/|$)/
const probes = /^(\/api\/v1)?\/internal\/actuator\/health(\/liveness|\/readiness)?$/
/** Path that also accepts a bearer token: Prometheus cannot send custom headers. */
const metrics = '/api/v1/internal/actuator/prometheus'
const bearer = (headers: Headers) =>
  /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null

/**
 * Wraps a handler: sets the request id and trace, requires the internal key on internal paths, converts
 * faults to envelopes, and logs and counts the request by route. Bodies and parameters are never logged.
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
  let response: Response
  try {
    if (!probe && internal.test(path) && c.env.kit.internalPaths) requireInternalKey(c)
    response = await handle(c)
  } catch (thrown) {
    const fault = toFault(thrown)
    if (fault.status >= 500) failure = fault
    response = c.json(fault.toJSON(), fault.status, fault.headers)
  }
  response = withRequestId(response, requestId)

  const { log, metrics } = c.env.kit
  const { status } = response
  const ms = performance.now() - started
  metrics.count('http_requests_total', { method, route, status: String(status) })
  metrics.time('http_request_seconds', { method, route }, ms)
  if (probe && status === 200) return response
  const fields = {
    request_id: requestId,
    trace_id: traceparent.slice(3, 35),
    method,
    route,
    ...c.get('logFields'),
    status,
    ms: Math.round(ms * 10) / 10,
  }
  if (failure) log.error({ ...fields, ...errorFields(failure.cause ?? failure) }, failure.code)
  else log.info(fields, 'request')
  return response
}

/** Throws UNAUTHENTICATED unless the request carries an accepted internal key. */
function requireInternalKey<Deps extends object>(c: Context<Env<Deps>>) {
  const { headers } = c.req.raw
  const { keys, config } = c.env.kit
  const token = c.req.path === metrics ? bearer(headers) : null
  if (token && config.METRICS_TOKEN && equalInConstantTime(config.METRICS_TOKEN, token)) return
  const key = headers.get('x-internal-api-key') ?? token
  if (!key || !accepts(keys(), key)) {
    throw new Fault('UNAUTHENTICATED', 'Header X-Internal-Api-Key is missing or wrong.')
  }
}

/** Sets the header on the finished response; headers set earlier would be copied one by one. */
function withRequestId(response: Response, requestId: string): Response {
  try {
    response.headers.set('X-Request-Id', requestId)
    return response
  } catch {
    // The headers of a forwarded response are immutable, so a copy is returned.
    return withRequestId(new Response(response.body, response), requestId)
  }
}

const requestIdFrom = (header: string | null) =>
  header && /^[\w.:/+=@-]{1,128}$/.test(header) ? header : newId()

/** Continues the trace of the header with a new span, or starts a new trace. */
function traceparentFrom(header: string | null): string {
  const trace = header
    ? /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})$/.exec(header)
    : null
  return `00-${trace?.[1] ?? randomHex(16)}-${randomHex(8)}-${trace?.[2] ?? '01'}`
}
