import type { Context } from 'hono'
import { Fault, invalid } from './fault.ts'

/** Who the gateway says is asking. A service trusts the gateway, and a holder of the internal key. */
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

export function callerOf(headers: Headers): Caller {
  const permissions = headers.get('x-permissions')
  return {
    userId: identifier(headers, 'x-user-id'),
    organizationId: identifier(headers, 'x-organization-id'),
    userType: headers.get('x-user-type') ?? undefined,
    superuser: headers.get('x-is-superuser') === 'true',
    permissions: permissions ? permissions.split(',').map((each) => each.trim()) : none,
  }
}

/** What a header can carry alike on every runtime: printable ASCII, with no space at its ends. */
export const headerText = '^[!-~]([ -~]*[!-~])?$'
export const printable = new RegExp(headerText)

function identifier(headers: Headers, header: string): string | undefined {
  const value = headers.get(header)
  if (!value) return undefined
  if (value.length > 200 || !printable.test(value)) {
    throw invalid([{ path: header, message: 'At most 200 printable ASCII characters.' }])
  }
  return value
}

/** The identity headers of a request, as they are passed on to the next service. */
export function identityHeaders(headers: Headers): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const header of forwardedHeaders) {
    const value = headers.get(header)
    if (value !== null) passed[header] = value
  }
  return passed
}

/** What an endpoint asks of its caller, and how that is described. */
export interface Guard {
  header: { name: string; required: boolean; description: string; schema: object }
  faults: readonly ('VALIDATION_FAILED' | 'UNAUTHENTICATED' | 'FORBIDDEN')[]
  /** May ask another service about the caller. */
  check(caller: Caller, c: Context): void | Promise<void>
}

/** The organization must be named. */
export const organization: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: true,
    description: 'The organization whose records these are.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
  },
  faults: ['VALIDATION_FAILED'],
  check({ organizationId }) {
    if (organizationId === undefined) {
      throw invalid([{ path: 'X-Organization-Id', message: 'This header is required.' }])
    }
  },
}

/** The person who asks must be named. */
export const user: Guard = {
  header: {
    name: 'X-User-Id',
    required: true,
    description: 'Who asks.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
  },
  faults: ['UNAUTHENTICATED'],
  check({ userId }) {
    if (userId === undefined) throw new Fault('UNAUTHENTICATED', 'Send who asks in X-User-Id.')
  },
}

/** A superuser passes, and whoever has the permission. */
export const permission = (needed: string): Guard => ({
  header: {
    name: 'X-Permissions',
    required: false,
    description: `Must hold \`${needed}\`, unless X-Is-Superuser is true.`,
    schema: { type: 'string' },
  },
  faults: ['FORBIDDEN'],
  check({ superuser, permissions }) {
    if (superuser || permissions.includes(needed)) return
    throw new Fault('FORBIDDEN', `This needs the permission ${needed}.`)
  },
})

/** A body that names another organization than the header does contradicts itself. */
export function assertSameOrganization(
  caller: Caller,
  named: string | undefined,
  path: string,
): void {
  if (named === undefined || caller.organizationId === undefined) return
  if (named !== caller.organizationId) {
    throw invalid([{ path, message: 'Contradicts the header X-Organization-Id.' }])
  }
}
