import { Fault } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText } from '../_kit/identity.ts'
import { fragment, type SqlFragment } from '../_kit/sql/sql.ts'

/** SQL condition for the matters that a caller may access. */
export type Scope = SqlFragment

/** Guard of external endpoints. The gateway sets the identity headers. */
export const userGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: true,
    description:
      'Organization of the matters: its own and those assigned to it as provider. With X-User-Type `client` only those of X-User-Id.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
  },
  faults: ['UNAUTHENTICATED'],
  check({ organizationId, userId, userType }) {
    if (organizationId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Header X-Organization-Id is required.')
    }
    if (userType === 'client' && userId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Header X-User-Id is required.')
    }
  },
}

/** Guard of internal endpoints. A named organization must be that of the matter. */
export const serviceGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: false,
    description: 'Optional. If sent, the matter must belong to this organization.',
    schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
  },
  faults: [],
  check() {},
}

const inOrganization = (organization: string): Scope =>
  fragment`(organization_id = ${organization} or provider_organization_id = ${organization})`

/** Clients see their own matters, other user types those of the organization. */
export const visibleToUser = ({ organizationId, userId, userType }: Caller): Scope =>
  userType === 'client'
    ? fragment`(${inOrganization(organizationId!)} and user_id = ${userId!})`
    : inOrganization(organizationId!)

export const visibleToService = ({ organizationId }: Caller): Scope =>
  organizationId === undefined ? fragment`true` : inOrganization(organizationId)

/** Actor recorded in events. */
export const actorOf = ({ userId }: Caller) => userId ?? 'system'
export const engineActor = 'ai-engine'
