import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isDeepStrictEqual } from 'node:util'

export type Credentials = {
  headers: Record<string, string>
  tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>
  /** Opens the connections in place of the transport: a SOCKS proxy. */
  agent?: Agent | undefined
}

export const isSameIdentity = (one: Credentials, other: Credentials) =>
  isDeepStrictEqual(one.headers, other.headers) && isDeepStrictEqual(one.tls, other.tls)
