import * as z from 'zod'
import { Fault, invalid } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText, printable } from '../_kit/identity.ts'
import { fragment } from '../_kit/sql/sql.ts'

/** Condition on the session rows that a caller may access. */
export type Scope = ReturnType<typeof fragment>

const OptionalId = z
  .string()
  .max(200)
  .regex(new RegExp(`^$|${headerText}`))
  .optional()

/** Identity in the query, used when the headers are absent. */
export const Identity = z.object({
  user_id: OptionalId.describe('User, if X-User-Id is absent.'),
  organization_id: OptionalId.describe('Organization, if X-Organization-Id is absent.'),
})

/** Guard of endpoints for people. `personOf` checks the identity, because it may be in the query. */
export const userGuard: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: false,
      description:
        'Organization of the user in X-User-Id. A client accesses their own sessions, other user types (X-User-Type) all sessions of the organization.',
      schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
    },
  ],
  faults: ['UNAUTHENTICATED'],
  check() {},
}

export interface Person {
  userId: string
  organizationId: string
  userType: string | undefined
}

/** The user of the request; 401 if unknown. */
export function resolvePerson(
  c: { var: { caller: Caller } },
  query: z.output<typeof Identity>,
  bodyUserId?: string,
): Person {
  const { caller } = c.var
  const userId = caller.userId ?? (query.user_id || bodyUserId)
  const organizationId = caller.organizationId ?? (query.organization_id || undefined)
  if (userId === undefined || organizationId === undefined) {
    throw new Fault('UNAUTHENTICATED', 'Headers X-User-Id and X-Organization-Id are required.')
  }
  if (userId.length > 200 || !printable.test(userId)) {
    throw invalid([{ path: 'user_id', message: 'At most 200 printable ASCII characters.' }])
  }
  return { userId, organizationId, userType: caller.userType }
}

const organizationWide = new Set(['lawyer', 'firm_admin', 'operator'])

/** Clients and users without a type access their own sessions only. */
export const visibleToUser = ({ userId, organizationId, userType }: Person): Scope =>
  organizationWide.has(userType ?? '')
    ? fragment`s.organization_id = ${organizationId}`
    : fragment`s.organization_id = ${organizationId} and s.user_id = ${userId}`

/** Guard of internal endpoints. */
export const serviceGuard: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: false,
      description: 'If sent, the session must belong to this organization.',
      schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
    },
  ],
  faults: [],
  check() {},
}

export const visibleToService = ({ organizationId }: Caller): Scope =>
  organizationId === undefined ? fragment`true` : fragment`s.organization_id = ${organizationId}`
