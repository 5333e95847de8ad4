import * as z from 'zod'

export const UserType = z.enum(['client', 'lawyer', 'firm_admin', 'operator'])
export type UserType = z.infer<typeof UserType>

/** A person as the services see them. */
export const Identity = z.object({
  id: z.string(),
  name: z.string(),
  organization_id: z.string(),
  user_type: UserType,
  permissions: z.array(z.string()),
  superuser: z.boolean(),
})
export type Identity = z.infer<typeof Identity>

/** The person behind a request and the credential that proved it. */
export interface Principal {
  identity: Identity
  credential:
    | { kind: 'session'; id: string; csrf: string }
    | { kind: 'token'; id: string; scopes: readonly string[] }
}

const identityHeaders = [
  'x-user-id',
  'x-organization-id',
  'x-is-superuser',
  'x-user-type',
  'x-permissions',
]

/** Headers that must never reach a service from outside: identity, keys, credentials, routing, hop-by-hop. */
const removed = new Set([
  ...identityHeaders,
  'x-internal-api-key',
  'authorization',
  'cookie',
  'x-csrf-token',
  'host',
  'forwarded',
  'x-real-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** Some servers read `X_User_Id` as `X-User-Id`, so both spellings are the same header. */
const canonicalName = (name: string) => name.toLowerCase().replaceAll('_', '-')

/** Copies the headers of a client without those that only the gateway may set. */
export function forwardableHeaders(headers: Headers): Headers {
  const named = (headers.get('connection') ?? '')
    .split(',')
    .map((name) => canonicalName(name.trim()))
  const copy = new Headers()
  for (const [name, value] of headers) {
    const canonical = canonicalName(name)
    const isRemoved = removed.has(canonical) || canonical.startsWith('x-forwarded-')
    if (!isRemoved && !named.includes(canonical)) copy.append(name, value)
  }
  return copy
}

/** Sets the identity headers that the services trust. */
export function setIdentity(headers: Headers, identity: Identity) {
  headers.set('x-user-id', identity.id)
  headers.set('x-organization-id', identity.organization_id)
  headers.set('x-user-type', identity.user_type)
  headers.set('x-is-superuser', String(identity.superuser))
  headers.set('x-permissions', identity.permissions.join(','))
}
