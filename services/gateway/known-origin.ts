import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import type { Deps } from './deps.ts'

/** Names of this machine, as the host of a URL. */
export const loopbackHost = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Rejects a request of a page that is neither of the gateway nor of the allow-list of CORS. The Host header
 * proves nothing unless it names this machine: with DNS rebinding a page of another site sends its own
 * name as Host and as Origin.
 */
export function requireKnownOrigin(c: Context<Env<Deps>>) {
  const origin = c.req.header('origin')
  if (origin === undefined) return
  const { corsOrigins, publicUrl } = c.env
  const addressed = new URL(c.req.url)
  const isKnown =
    corsOrigins.includes(origin) ||
    (publicUrl !== undefined && new URL(publicUrl).origin === origin) ||
    (loopbackHost.test(addressed.hostname) && addressed.origin === origin)
  if (!isKnown) {
    throw new Fault('FORBIDDEN', `Requests from pages of ${origin.slice(0, 200)} are not allowed.`)
  }
}
