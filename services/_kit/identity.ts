import type { Context } from 'hono'
import { Fault, invalid } from './fault.ts'

/** The caller as the gateway identified it. Services trust the gateway and holders of the internal key. */
export interface Caller {
  userId: string | undefined
  organizationId: string | undefined
  userType: string | undefined
  superuser: boolean
  permissions: readonly string[]
}

const forwardedHeaders = [
  'x-user-id',
  'x-organization-id',
  'x-is-superuser',
  'x-user-type',
  'x-permissions',
] as const

const none: readonly string[] = []

export function parseCaller(headers: Headers): Caller {
  const permissions = headers.get('x-permissions')
  return {
    userId: identifier(headers, 'x-user-id'),
    organizationId: identifier(headers, 'x-organization-id'),
    userType: headers.get('x-user-type') ?? undefined,
    superuser: headers.get('x-is-superuser') === 'true',
    permissions: permissions ? permissions.split(',').map((each) => each.trim()) : none,
  }
}

/** Header values that every runtime passes unchanged: printable ASCII without surrounding spaces. */
export const headerText = '^[!-~]([ -~]*[!-~])?$'
export const printable = new RegExp(headerText)

function identifier(headers: Headers, header: string): string | undefined {
  const value = headers.get(header)
  if (!value) return undefined
  if (value.length > 200 || !printable.test(value)) {
    throw invalid([{ path: header, message: 'Must be at most 200 printable ASCII characters.' }])
  }
  return value
}

/** The identity headers of a request, to forward to the next service. */
export function identityHeaders(headers: Headers): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const header of forwardedHeaders) {
    const value = headers.get(header)
    if (value !== null) forwarded[header] = value
  }
  return forwarded
}

/** A requirement on the caller, with its description for OpenAPI. */
export interface Guard {
  headers: readonly { name: string; required: boolean; description: string; schema: object }[]
  faults: readonly ('VALIDATION_FAILED' | 'UNAUTHENTICATED' | 'FORBIDDEN')[]
  /** Throws a fault if the caller does not meet the requirement. May call the auth service. */
  check(caller: Caller, c: Context): void | Promise<void>
}

/** Requires X-Organization-Id. */
export const organization: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: true,
      description: 'Organization that owns the records.',
      schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
    },
  ],
  faults: ['VALIDATION_FAILED'],
  check({ organizationId }) {
    if (organizationId === undefined) {
      throw invalid([
        { path: 'X-Organization-Id', message: 'Header X-Organization-Id is required.' },
      ])
    }
  },
}

/** Requires X-User-Id. */
export const user: Guard = {
  headers: [
    {
      name: 'X-User-Id',
      required: true,
      description: 'User who makes the request.',
      schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
    },
  ],
  faults: ['UNAUTHENTICATED'],
  check({ userId }) {
    if (userId === undefined) throw new Fault('UNAUTHENTICATED', 'Header X-User-Id is required.')
  },
}

/** Requires a permission, or a superuser. */
export const permission = (needed: string): Guard => ({
  headers: [
    {
      name: 'X-Permissions',
      required: false,
      description: `Must contain \`${needed}\` unless X-Is-Superuser is true.`,
      schema: { type: 'string' },
    },
  ],
  faults: ['FORBIDDEN'],
  check({ superuser, permissions }) {
    if (superuser || permissions.includes(needed)) return
    throw new Fault('FORBIDDEN', `Permission ${needed} is required.`)
  },
})

/** Requires what all guards require, checked in this order. */
export const requireAll = (...guards: readonly Guard[]): Guard => ({
  headers: guards.flatMap(({ headers }) => headers),
  faults: guards.flatMap(({ faults }) => faults),
  async check(caller, c) {
    for (const guard of guards) await guard.check(caller, c)
  },
})

/** Rejects a body that names another organization than the header. */
export function assertSameOrganization(
  caller: Caller,
  named: string | undefined,
  path: string,
): void {
  if (named === undefined || caller.organizationId === undefined) return
  if (named !== caller.organizationId) {
    throw invalid([{ path, message: 'Does not match the header X-Organization-Id.' }])
  }
}
