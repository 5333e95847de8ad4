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
    | {
        kind: 'token'
        id: string
        scopes: readonly string[]
        /** Expiry of a bearer token of the provider, in milliseconds. API tokens are rows. */
        expiresAt?: number
      }
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
  'x-request-id',
  'traceparent',
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

/** Headers of a client that a service may see: without those that only the gateway may set. */
export function listForwardableHeaders(headers: Headers): [string, string][] {
  const named = (headers.get('connection') ?? '')
    .split(',')
    .map((name) => canonicalName(name.trim()))
  return [...headers].filter(([name]) => {
    const canonical = canonicalName(name)
    const isRemoved = removed.has(canonical) || canonical.startsWith('x-forwarded-')
    return !isRemoved && !named.includes(canonical)
  })
}

/** The identity headers that the services trust. */
export const listIdentityHeaders = (identity: Identity): [string, string][] => [
  ['x-user-id', identity.id],
  ['x-organization-id', identity.organization_id],
  ['x-user-type', identity.user_type],
  ['x-is-superuser', String(identity.superuser)],
  ['x-permissions', identity.permissions.join(',')],
]
