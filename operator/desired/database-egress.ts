import { isIP } from 'node:net'
import { type Facts, type SuiteInput, shortHash } from './common.ts'

/** Address and port of an external database. */
export type DatabaseTarget = { host: string; port: number }

/**
 * Parses host and port of a database URL. `proxy` is set for the driver neon, which connects by WebSocket:
 * to the proxy or, if it is empty, to the host of the URL.
 */
export function parseDatabaseTarget(url: string, proxy?: string): DatabaseTarget | undefined {
  const address = proxy ? `wss://${proxy.replace(/^wss?:\/\//, '')}` : url
  if (!URL.canParse(address)) return undefined
  const { hostname, port } = new URL(address)
  const defaultPort = proxy === undefined ? 5432 : 443
  const ownPort = proxy === '' ? '' : port
  const host = hostname.replace(/^\[|\]$/g, '')
  return host ? { host, port: Number(ownPort) || defaultPort } : undefined
}

/**
 * The egress rule for an external database: its port only, at the declared CIDRs or at the address of the
 * URL. A host name is not resolved, because behind a Service its address is not the one that a policy sees.
 */
export function databaseEgress({ spec }: SuiteInput, { database }: Facts) {
  const { cidrs } = spec.database.external ?? {}
  const { host = '', port = 5432 } = database ?? {}
  const family = isIP(host)
  const blocks = cidrs ?? (family ? [`${host}/${family === 4 ? 32 : 128}`] : [])
  const rule = {
    ...(blocks.length && { to: blocks.map((cidr) => ({ ipBlock: { cidr } })) }),
    ports: [{ protocol: 'TCP', port }],
  }
  // A changed target gets a policy of its own: pods that use the old one keep it until they are replaced.
  return { purpose: `database-${shortHash(rule).slice(0, 8)}`, rule }
}
