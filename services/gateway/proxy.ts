import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { errorFields } from '../_kit/log.ts'
import { authenticate } from './authenticate.ts'
import { requireCsrf, requireScope } from './authorize.ts'
import type { Deps } from './deps.ts'
import { forwardableHeaders, type Principal, setIdentity } from './principal.ts'
import { unauthenticated } from './protected-resource.ts'
import { resolveTarget, type Target } from './target.ts'

const apiDescription = /^\/api\/v1\/(v3\/api-docs|swagger-ui\/index\.html)$/
/** Signed URLs carry their own proof and need no sign-in. */
const signedContent = /^\/api\/v1\/files\/[^/]+\/content$/

/** Forwards a request to the service that its path names, on behalf of the person behind it. */
export async function proxy(c: Context<Env<Deps>>): Promise<Response> {
  const target = resolveTarget(new URL(c.req.url).pathname)
  if (!target) throw notFound(`page at ${c.req.path}`)
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
  const init: RequestInit & { duplex: 'half' } = {
    method: raw.method,
    headers,
    body: raw.body,
    duplex: 'half',
    redirect: 'manual',
    signal: raw.signal,
  }
  try {
    const request = new Request(`http://peer${path}${new URL(raw.url).search}`, init)
    const response = await c.env.peer(service)(request)
    return new Response(response.body, {
      status: response.status,
      headers: responseHeaders(response.headers),
    })
  } catch (thrown) {
    c.env.kit.log.warn({ service, ...errorFields(thrown) }, 'upstream request failed')
    throw new Fault('UPSTREAM_UNAVAILABLE', `${service} is not available. Try again later.`)
  }
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
  copy.set('x-content-type-options', 'nosniff')
  copy.set('referrer-policy', 'same-origin')
  return copy
}
