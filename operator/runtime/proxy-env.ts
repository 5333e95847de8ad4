import { BlockList, isIP } from 'node:net'

type Environment = Record<string, string | undefined>

/**
 * Returns the proxy that `HTTPS_PROXY` or `HTTP_PROXY` sets for a server. `NO_PROXY` lists hosts, domains,
 * addresses and CIDRs without proxy, each with an optional port; `*` means all. Loopback has no proxy.
 */
export function proxyFromEnv(env: Environment, server: URL): string | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = env[name] || env[name.toLowerCase()]
  if (!proxy || isExcluded(server, env.NO_PROXY || env.no_proxy || '')) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function isExcluded(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = server.port || (server.protocol === 'https:' ? '443' : '80')
  if (host === 'localhost' || isInSubnet(host, '127.0.0.0/8') || host === '::1') return true
  return noProxy
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => isMatch(entry.toLowerCase(), host, port))
}

function isMatch(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isInSubnet(host, entry)
  const [, name, entryPort] = /^(?:\*(?=\.))?\[?(.*?)\]?(?::(\d+))?$/.exec(entry)!
  if (isIP(entry)) return entry === host
  if (entryPort && entryPort !== port) return false
  return name!.startsWith('.') ? host.endsWith(name!) : host === name || host.endsWith(`.${name}`)
}

function isInSubnet(host: string, cidr: string): boolean {
  const [address = '', prefix] = cidr.split('/')
  const version = isIP(address)
  if (version === 0 || isIP(host) !== version || !/^\d+$/.test(prefix ?? '')) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (Number(prefix) > (version === 4 ? 32 : 128)) return false
  const subnet = new BlockList()
  subnet.addSubnet(address, Number(prefix), family)
  return subnet.check(host, family)
}
