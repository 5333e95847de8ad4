import type { Context } from 'hono'
import type { Env, Handler } from '../_kit/context.ts'
import { toFault } from '../_kit/fault.ts'
import { authenticate } from './authenticate.ts'
import { clientAddress } from './client-address.ts'
import { preflight, setCorsHeaders } from './cors.ts'
import type { Deps } from './deps.ts'
import { withMutableHeaders } from './mutable-headers.ts'
import type { Principal } from './principal.ts'
import { limitRate } from './rate-limit.ts'
import { hasScimToken } from './scim/respond.ts'
import { setSecurityHeaders } from './security-headers.ts'

/** Paths of monitoring, without sign-in and without limits. */
const monitoring = /^\/(healthz|metrics)$/

/** Wraps every handler of the gateway: CORS, sign-in, rate limits, security headers and log fields. */
export const enter =
  (handle: Handler<Deps>): Handler<Deps> =>
  async (c) => {
    const { raw } = c.req
    const { corsOrigins, secure } = c.env
    const response = preflight(raw, corsOrigins) ?? (await respond(c, handle))
    const finished = withMutableHeaders(response)
    setSecurityHeaders(finished.headers, secure)
    setCorsHeaders(finished.headers, raw.headers.get('origin'), corsOrigins)
    return finished
  }

async function respond(c: Context<Env<Deps>>, handle: Handler<Deps>): Promise<Response> {
  if (monitoring.test(c.req.path)) return handle(c)
  c.set('logFields', { path: loggablePath(c.req.path), address: clientAddress(c) })
  let headers: Record<string, string> = {}
  let response: Response
  try {
    const principal = await authenticate(c)
    if (principal) {
      const { id, organization_id } = principal.identity
      c.set('logFields', { ...c.var.logFields, user: id, organization: organization_id })
    }
    // A directory may send many requests; a wrong token counts against its address.
    if (!hasScimToken(c)) headers = await limitRate(c, principal)
    response = endWithCredential(c, principal, withMutableHeaders(await handle(c)))
  } catch (thrown) {
    const fault = toFault(thrown)
    if (fault.status >= 500) throw fault
    response = c.json(fault.toJSON(), fault.status, fault.headers)
  }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** An event stream ends when the credential that opened it is revoked. Other responses end by themselves. */
function endWithCredential(
  { env: { sql, openStreams } }: Context<Env<Deps>>,
  principal: Principal | undefined,
  response: Response,
): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!principal || !isStream || !response.body) return response
  return new Response(openStreams.watch(sql, principal, response.body), response)
}

/** The path without its query, which may hold signatures and codes, and without tokens. */
const loggablePath = (path: string) =>
  path.slice(0, 500).replace(/lst_[\w-]+|[\w-]+\.[\w-]{20,}\.[\w-]+/g, '[token]')
