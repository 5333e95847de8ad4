import { Fault } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText } from '../_kit/identity.ts'
import { fragment, type SqlFragment } from '../_kit/sql/sql.ts'

/** SQL condition for the matters that a caller may access. */
export type Scope = SqlFragment

/** Guard of external endpoints. The gateway sets the identity headers. */
export const userGuard: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: true,
      description:
        'Organization of the matters: its own and those assigned to it as provider. Only X-User-Type `lawyer`, `firm_admin` or `operator` see all of them; everyone else sees those of X-User-Id.',
      schema: { type: 'string', minLength: 1, maxLength: 200, pattern: headerText },
    },
  ],
  faults: ['UNAUTHENTICATED'],
  check(caller) {
    if (caller.organizationId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Header X-Organization-Id is required.')
    }
    if (!isStaff(caller) && caller.userId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Header X-User-Id is required.')
    }
  },
}

/** Guard of internal endpoints. A named organization must be that of the matter. */
export const serviceGuard: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: false,
      description: 'Optional. If sent, the matter must belong to this organization.',
      schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
    },
  ],
  faults: [],
  check() {},
}

const inOrganization = (organization: string): Scope =>
  fragment`(organization_id = ${organization} or provider_organization_id = ${organization})`

const staffTypes = ['lawyer', 'firm_admin', 'operator']

/** User types that work for the organization. A missing or unknown type has the rights of a client. */
export const isStaff = ({ userType }: Caller) => staffTypes.includes(userType ?? '')

/** Staff see the matters of the organization, everyone else their own. */
export const visibleToUser = (caller: Caller): Scope =>
  isStaff(caller)
    ? inOrganization(caller.organizationId!)
    : fragment`(${inOrganization(caller.organizationId!)} and user_id = ${caller.userId!})`

/**
 * Table expressions of the matters that a caller may see and that meet further conditions, for a list: own
 * matters, and those of other organizations. `or` would prevent the use of an index in list order.
 */
export function visibleMatters(caller: Caller, conditions: SqlFragment): SqlFragment[] {
  const organization = caller.organizationId!
  const client = isStaff(caller) ? fragment`` : fragment` and user_id = ${caller.userId!}`
  return [
    fragment`matter.matters where organization_id = ${organization}${client}${conditions}`,
    fragment`matter.matters where provider_organization_id = ${organization}
      and provider_organization_id <> organization_id${client}${conditions}`,
  ]
}

export const visibleToService = ({ organizationId }: Caller): Scope =>
  organizationId === undefined ? fragment`true` : inOrganization(organizationId)

/** Actor recorded in events. */
export const actorId = ({ userId }: Caller) => userId ?? 'system'
export const engineActor = 'ai-engine'
