import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Env } from './endpoint.ts'
import { Fault } from './fault.ts'
import { newId, randomHex } from './ids.ts'
import { accepts } from './keys.ts'
import { errorFields } from './log.ts'

type Handler = MiddlewareHandler<Env<any>>

const probes = new Set(
  ['', '/liveness', '/readiness'].map((path) => `/api/v1/internal/actuator/health${path}`),
)

/** Names the request, and tells log and metrics how it went: by route, never by what it carried. */
export const observe: Handler = async function observe(c, next) {
  const started = performance.now()
  const { headers } = c.req.raw
  const requestId = requestIdFrom(headers.get('x-request-id'))
  c.set('requestId', requestId)
  const traceparent = traceparentFrom(headers.get('traceparent'))
  c.set('traceparent', traceparent)
  await next()
  name(c, requestId)

  const { log, metrics } = c.env.kit
  const { method } = c.req
  const route = routePath(c, -1)
  const status = c.res.status
  const ms = performance.now() - started
  metrics.count('http_requests_total', { method, route, status: String(status) })
  metrics.time('http_request_seconds', { method, route }, ms)
  if (probes.has(c.req.path) && status === 200) return
  const failure = c.get('failure')
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
}

/** Internal paths are for those who hold the key. Probes need none. */
export const internalKey: Handler = async function internalKey(c, next) {
  if (!probes.has(c.req.path)) {
    const given = c.req.header('x-internal-api-key')
    if (!given || !accepts(c.env.kit.keys(), given)) {
      throw new Fault('UNAUTHENTICATED', 'Send the internal key in X-Internal-Api-Key.')
    }
  }
  await next()
}

/** Set on the finished answer: headers set before it would be copied into it one by one. */
function name(c: Context, requestId: string) {
  try {
    c.res.headers.set('X-Request-Id', requestId)
  } catch {
    // An answer that was passed on as it came can't be changed; Hono makes a copy that can.
    c.header('X-Request-Id', requestId)
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
