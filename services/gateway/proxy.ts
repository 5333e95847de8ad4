import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { errorFields } from '../_kit/log.ts'
import { authenticate } from './authenticate.ts'
import { requireCsrf, requireScope } from './authorize.ts'
import { clientAddress } from './client-address.ts'
import type { Deps } from './deps.ts'
import { bodyTooLarge, limitBody } from './limit-body.ts'
import { forwardableHeaders, type Principal, setIdentity } from './principal.ts'
import { unauthenticated } from './protected-resource.ts'
import { resolveTarget, type Target } from './target.ts'

const apiDescription = /^\/api\/v1\/(v3\/api-docs|swagger-ui\/index\.html)$/
/** Signed URLs carry their own proof and need no sign-in. */
const signedContent = /^\/api\/v1\/files\/[^/]+\/content$/

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Forwards a request to the service that its path names, on behalf of the person behind it. */
export async function proxy(c: Context<Env<Deps>>): Promise<Response> {
  const target = resolveTarget(new URL(c.req.url).pathname)
  if (!target) throw notFound(`page at ${c.req.path}`)
  if (!methods.includes(c.req.method)) {
    const allow = methods.join(', ')
    throw new Fault('METHOD_NOT_ALLOWED', `Method not allowed. Allowed methods: ${allow}.`, {
      headers: { Allow: allow },
    })
  }
  const principal = await authenticate(c)
  if (!principal && !isOpen(target, c.env)) throw unauthenticated(c)
  if (principal) {
    requireScope(principal, c.req.method, target)
    requireCsrf(principal, c.req.raw)
  }
  return forward(c, target, principal)
}

const isOpen = ({ service, path }: Target, { production }: Deps) =>
  (!production && apiDescription.test(path)) ||
  (service === 'files-service' && signedContent.test(path))

async function forward(
  c: Context<Env<Deps>>,
  { service, path }: Target,
  principal: Principal | undefined,
): Promise<Response> {
  const { raw } = c.req
  const headers = forwardableHeaders(raw.headers)
  if (principal) setIdentity(headers, principal.identity)
  headers.set('x-request-id', c.var.requestId)
  headers.set('traceparent', c.var.traceparent)
  headers.set('x-forwarded-for', clientAddress(c))
  const body = limitBody(raw, c.env.maxBodyBytes)
  const deadline = startDeadline(c.env.timeoutMs)
  const init: RequestInit & { duplex: 'half' } = {
    method: raw.method,
    headers,
    body: body.stream,
    duplex: 'half',
    redirect: 'manual',
    signal: AbortSignal.any([raw.signal, deadline.signal]),
  }
  try {
    const request = new Request(`http://peer${path}${new URL(raw.url).search}`, init)
    const response = await c.env.peer(service)(request)
    return new Response(response.body, {
      status: response.status,
      headers: responseHeaders(response.headers),
    })
  } catch (thrown) {
    if (body.exceeded()) throw bodyTooLarge(c.env.maxBodyBytes)
    c.env.kit.log.warn({ service, ...errorFields(thrown) }, 'upstream request failed')
    throw new Fault('UPSTREAM_UNAVAILABLE', `${service} is not available. Try again later.`)
  } finally {
    deadline.clear()
  }
}

/** A time limit that ends when it is cleared, so that it does not cut a stream. */
function startDeadline(ms: number) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${ms} ms`)), ms)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

const hopByHop = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'trailer',
  'set-cookie',
]

/** Headers of the service, without those of the connection and cookies, which only the gateway sets. */
function responseHeaders(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of hopByHop) copy.delete(name)
  // The body was decoded by the client that fetched it.
  if (copy.has('content-encoding')) {
    copy.delete('content-encoding')
    copy.delete('content-length')
  }
  return copy
}
