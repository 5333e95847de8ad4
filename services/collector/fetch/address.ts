import ipaddr from 'ipaddr.js'

/** Something that can't or must not be fetched; what is written of it is for people. */
export class FetchError extends Error {
  override name = 'Unfetchable'
  /** Whether trying again may help, and after how long the server said so. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Why an address must not be reached, or null for one of the public Internet. Only what is known to be
 * public passes: an IPv4 address in the shape of an IPv6 one counts as what it leads to.
 */
export function blockedAddressReason(text: string): string | null {
  if (!ipaddr.isValid(text)) return 'not an address'
  const address = ipaddr.process(text)
  const range = address.range()
  if (range !== 'unicast') return range
  // What is not in 2000::/3 is not given out: such as ::127.0.0.1.
  if (address instanceof ipaddr.IPv6 && (address.parts[0]! & 0xe000) !== 0x2000) return 'reserved'
  return null
}

/** A URL that may be looked at: its scheme, no password in it, and where it is written out its address. */
export function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new FetchError('Not a URL.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError('Only http and https are fetched.')
  }
  if (url.username || url.password) throw new FetchError('The URL holds a password.')
  url.hash = ''
  return url
}

/** The address that a URL's host is, where it is no name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : null
}

/** Hosts that may be anywhere, told as `host` or `host:port`. */
export function isAllowedHost({ hostname, host }: URL, allowed: readonly string[]): boolean {
  return allowed.includes(hostname) || allowed.includes(host)
}
