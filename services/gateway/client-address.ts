import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import type { Deps } from './deps.ts'

/**
 * Address of the client. Every trusted proxy appends one entry to `X-Forwarded-For`, so the client is the
 * entry that the first of them appended. Entries to the left of it come from the client and prove nothing.
 */
export function clientAddress(c: Context<Env<Deps>>): string {
  const { trustedProxies, remoteAddress = '' } = c.env
  if (trustedProxies === 0) return remoteAddress
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((each) => each.trim())
  return (forwarded.at(-trustedProxies) ?? '').slice(0, 64) || remoteAddress
}
