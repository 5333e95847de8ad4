import ipaddr from 'ipaddr.js'

/** A URL that cannot or must not be fetched. The message is shown to users. */
export class FetchError extends Error {
  override name = 'Unfetchable'
  /** Delay before a retry. Undefined if a retry cannot help. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Reason why an address is blocked, or null for a public address. Allowlist: only known public ranges pass.
 * An IPv4-mapped IPv6 address is checked as IPv4.
 */
export function blockedAddressReason(text: string): string | null {
  if (!ipaddr.isValid(text)) return 'not an address'
  const address = ipaddr.process(text)
  const range = address.range()
  if (range !== 'unicast') return range
  // Addresses outside 2000::/3 are not allocated, for example ::127.0.0.1.
  if (address instanceof ipaddr.IPv6 && (address.parts[0]! & 0xe000) !== 0x2000) return 'reserved'
  return null
}

/** Parses a URL. Throws FetchError for other schemes than http and https and for credentials. */
export function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new FetchError('Not a valid URL.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError('Only http and https are supported.')
  }
  if (url.username || url.password) throw new FetchError('The URL must not contain credentials.')
  url.hash = ''
  return url
}

/** The IP address in a URL, or null if its host is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : null
}

/** True for hosts exempt from the address check, listed as `host` or `host:port`. */
export function isAllowedHost({ hostname, host }: URL, allowed: readonly string[]): boolean {
  return allowed.includes(hostname) || allowed.includes(host)
}
