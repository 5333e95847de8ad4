import * as z from 'zod'
import { Fault, invalid } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText, printable } from '../_kit/identity.ts'
import { fragment } from '../_kit/sql/sql.ts'

/** Which sessions a caller may touch, as a condition on their rows. */
export type Scope = ReturnType<typeof fragment>

const OptionalId = z
  .string()
  .max(200)
  .regex(new RegExp(`^$|${headerText}`))
  .optional()

/** Who asks, where the headers do not say it. */
export const Identity = z.object({
  user_id: OptionalId.describe('Who asks, where X-User-Id is absent.'),
  organization_id: OptionalId.describe('The organization, where X-Organization-Id is absent.'),
})

/** People come through the gateway, which says who they are; the query may, where it did not. */
export const userGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: false,
    description:
      'The organization whose sessions these are; with X-User-Id it says who asks. A client sees their own sessions, other types of user (X-User-Type) those of the organization.',
    schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
  },
  faults: ['UNAUTHENTICATED'],
  check() {},
}

export interface Person {
  userId: string
  organizationId: string
  userType: string | undefined
}

/** The person who asks, or 401. */
export function personOf(
  c: { var: { caller: Caller } },
  query: z.output<typeof Identity>,
  bodyUserId?: string,
): Person {
  const { caller } = c.var
  const userId = caller.userId ?? (query.user_id || bodyUserId)
  const organizationId = caller.organizationId ?? (query.organization_id || undefined)
  if (userId === undefined || organizationId === undefined) {
    throw new Fault('UNAUTHENTICATED', 'Sign in: X-User-Id and X-Organization-Id say who asks.')
  }
  if (userId.length > 200 || !printable.test(userId)) {
    throw invalid([{ path: 'user_id', message: 'At most 200 printable ASCII characters.' }])
  }
  return { userId, organizationId, userType: caller.userType }
}

const organizationWide = new Set(['lawyer', 'firm_admin', 'operator'])

/** A client, and whoever says no more of themselves, sees their own sessions. */
export const visibleToUser = ({ userId, organizationId, userType }: Person): Scope =>
  organizationWide.has(userType ?? '')
    ? fragment`s.organization_id = ${organizationId}`
    : fragment`s.organization_id = ${organizationId} and s.user_id = ${userId}`

/** A holder of the internal key is trusted; an organization that it names must be the record's. */
export const serviceGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: false,
    description: 'Where it is sent, the session must belong to this organization.',
    schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
  },
  faults: [],
  check() {},
}

export const visibleToService = ({ organizationId }: Caller): Scope =>
  organizationId === undefined ? fragment`true` : fragment`s.organization_id = ${organizationId}`
