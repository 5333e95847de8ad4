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

/**
 * Key of an address for rate limits: without a port, and of IPv6 the network of 64 bits, because one client
 * has all addresses of it.
 */
export function addressKey(address: string): string {
  const host = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  const mapped = /^::ffff:([\d.]+)$/i.exec(host)?.[1]
  if (mapped !== undefined || !host.includes(':')) return mapped ?? host
  const [head = '', tail] = host.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - last.length)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...last]
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
