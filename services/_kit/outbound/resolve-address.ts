import { blockedAddressReason, FetchError, isAllowedHost, literalAddress } from './address.ts'
import type { Transport } from './transport.ts'

/**
 * Resolves the host of a URL once and checks all its addresses. Returns the address to connect to. Throws
 * FetchError if one of them is not public, unless the host is allowed.
 */
export async function resolvePublicAddress(
  transport: Transport,
  url: URL,
  allowedHosts: readonly string[],
): Promise<string> {
  const literal = literalAddress(url)
  const addresses = literal ? [literal] : await transport.resolve(url.hostname)
  const [first] = addresses
  if (first === undefined) throw new FetchError(`Host ${url.hostname} was not found.`)
  if (isAllowedHost(url, allowedHosts)) return first
  for (const address of addresses) {
    const fault = blockedAddressReason(address)
    if (fault) throw new FetchError(`${url.hostname} has an address that is not public (${fault}).`)
  }
  return first
}
