import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import { addressKey, clientAddress } from './client-address.ts'
import type { Deps } from './deps.ts'
import type { Principal } from './principal.ts'

const windowSeconds = 60

/** Counts a request against its limits. Returns the `RateLimit` headers, or throws RATE_LIMITED. */
export async function limitRate(
  c: Context<Env<Deps>>,
  principal: Principal | undefined,
): Promise<Record<string, string>> {
  let headers: Record<string, string> = {}
  for (const { name, key } of listLimits(c, principal)) {
    const limit = c.env.rateLimits[name]
    const used = await c.env.rateCounts.count(c.env.sql, `${name} ${key}`)
    const seconds = Math.ceil(windowSeconds - ((Date.now() / 1_000) % windowSeconds))
    const remaining = Math.max(0, Math.floor(limit - used))
    headers = {
      RateLimit: `"${name}";r=${remaining};t=${seconds}`,
      'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
    }
    if (used > limit) {
      throw new Fault(
        'RATE_LIMITED',
        `More than ${limit} requests per minute. Try again in ${seconds} seconds.`,
        { headers: { ...headers, 'Retry-After': String(seconds) } },
      )
    }
  }
  return headers
}

/**
 * A signed-in person does not count against the address: a firm shares one. The most specific limit is
 * last, so that its headers are sent.
 */
function listLimits(c: Context<Env<Deps>>, principal: Principal | undefined) {
  if (!principal) return [{ name: 'address' as const, key: addressKey(clientAddress(c)) }]
  const { identity, credential } = principal
  const user = { name: 'user' as const, key: `${identity.organization_id} ${identity.id}` }
  return credential.kind === 'token'
    ? [user, { name: 'token' as const, key: credential.id }]
    : [user]
}
