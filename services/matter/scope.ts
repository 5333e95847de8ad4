import { Fault } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText } from '../_kit/identity.ts'
import { fragment, type SqlFragment } from '../_kit/sql/sql.ts'

/** Which matters a caller may touch, as a condition on their rows. */
export type Scope = SqlFragment

/** People come through the gateway, which says who they are and for which organization. */
export const userGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: true,
    description:
      'The organization whose matters these are: its own, and those given to it as provider. With X-User-Type `client` only those of X-User-Id.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
  },
  faults: ['UNAUTHENTICATED'],
  check({ organizationId, userId, userType }) {
    if (organizationId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Sign in: X-Organization-Id is missing.')
    }
    if (userType === 'client' && userId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Sign in: X-User-Id is missing.')
    }
  },
}

/** A holder of the internal key is trusted; an organization that it names must be the record's. */
export const serviceGuard: Guard = {
  header: {
    name: 'X-Organization-Id',
    required: false,
    description: 'Where it is sent, the matter must belong to this organization.',
    schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
  },
  faults: [],
  check() {},
}

const inOrganization = (organization: string): Scope =>
  fragment`(organization_id = ${organization} or provider_organization_id = ${organization})`

/** A client sees their own matters, everybody else those of the organization. */
export const visibleToUser = ({ organizationId, userId, userType }: Caller): Scope =>
  userType === 'client'
    ? fragment`(${inOrganization(organizationId!)} and user_id = ${userId!})`
    : inOrganization(organizationId!)

export const visibleToService = ({ organizationId }: Caller): Scope =>
  organizationId === undefined ? fragment`true` : inOrganization(organizationId)

/** Who an event says did it. */
export const actorOf = ({ userId }: Caller) => userId ?? 'system'
export const engineActor = 'ai-engine'
