import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { errorFields } from '../_kit/log.ts'
import { authenticate } from './authenticate.ts'
import { requireCsrf, requireScope } from './authorize.ts'
import { clientAddress } from './client-address.ts'
import type { Deps } from './deps.ts'
import { bodyTooLarge, type LimitedBody, limitBody } from './limit-body.ts'
import { withMutableHeaders } from './mutable-headers.ts'
import { listForwardableHeaders, listIdentityHeaders, type Principal } from './principal.ts'
import { unauthenticated } from './protected-resource.ts'
import { startDeadline } from './start-deadline.ts'
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
  // A signed URL is its own proof: it works with and without a session, and acts as nobody.
  const principal = isSigned(target) ? undefined : await authenticate(c)
  if (!principal && !isOpen(target, c.env)) throw unauthenticated(c)
  if (principal) {
    requireScope(principal, c.req.method, target)
    requireCsrf(principal, c.req.raw)
  }
  return forward(c, target, principal)
}

const isSigned = ({ service, path }: Target) =>
  service === 'files-service' && signedContent.test(path)

const isOpen = (target: Target, { production }: Deps) =>
  (!production && apiDescription.test(target.path)) || isSigned(target)

async function forward(
  c: Context<Env<Deps>>,
  { service, path }: Target,
  principal: Principal | undefined,
): Promise<Response> {
  const { raw } = c.req
  const headers = [
    ...listForwardableHeaders(raw.headers),
    ...(principal ? listIdentityHeaders(principal.identity) : []),
    ['x-request-id', c.var.requestId],
    ['traceparent', c.var.traceparent],
    ['x-forwarded-for', clientAddress(c)],
  ] as [string, string][]
  // A read has no body, and its service may finish it: on Node, body and signal cost a second request object.
  const isRead = raw.method === 'GET' || raw.method === 'HEAD'
  const body = isRead ? noBody : limitBody(raw, c.env.maxBodyBytes)
  const deadline = startDeadline(c.env.timeoutMs, isRead ? null : raw.signal)
  const init: RequestInit & { duplex: 'half' } = {
    method: raw.method,
    headers,
    body: body.stream,
    duplex: 'half',
    redirect: 'manual',
    signal: deadline.signal,
  }
  try {
    const peer = c.env.peer(service)
    const target = `${path}${new URL(raw.url).search}`
    const response =
      peer.send && !body.stream
        ? await peer.send(target, init)
        : await peer(new Request(`http://peer${target}`, init))
    return withOwnHeaders(response)
  } catch (thrown) {
    if (body.exceeded()) throw bodyTooLarge(c.env.maxBodyBytes)
    c.env.kit.log.warn({ service, ...errorFields(thrown) }, 'upstream request failed')
    throw new Fault('UPSTREAM_UNAVAILABLE', `${service} is not available. Try again later.`)
  } finally {
    deadline.clear()
  }
}

const noBody: LimitedBody = { stream: null, exceeded: () => false }

const hopByHop = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'trailer',
  'set-cookie',
]

/** The response without headers of the connection and without cookies, which only the gateway sets. */
function withOwnHeaders(response: Response): Response {
  const copy = withMutableHeaders(response)
  const { headers } = copy
  for (const name of hopByHop) headers.delete(name)
  // The body was decoded by the client that fetched it.
  if (headers.has('content-encoding')) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  return copy
}
