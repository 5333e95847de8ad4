import { invalid } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText } from '../_kit/identity.ts'
import { fragment } from '../_kit/sql/sql.ts'

/** A caller with the internal key is trusted. An organization that it names must be that of the record. */
export const service: Guard = {
  headers: [
    {
      name: 'X-Organization-Id',
      required: false,
      description: 'Organization that all records of the request must belong to. Default: any.',
      schema: { type: 'string', maxLength: 200, pattern: `^$|${headerText}` },
    },
  ],
  faults: [],
  check() {},
}

/** Condition on the rows that a caller may see. */
export const visibleToService = ({ organizationId }: Caller, table?: 't') => {
  if (organizationId === undefined) return fragment`true`
  return table === undefined
    ? fragment`organization_id = ${organizationId}`
    : fragment`t.organization_id = ${organizationId}`
}

/** Returns the organization of a new thread, from the header or the body. Both must agree. */
export function resolveOrganization({ organizationId }: Caller, named: string | undefined): string {
  const organization = organizationId ?? named
  if (organization === undefined)
    throw invalid([
      { path: 'organization_id', message: 'Required, here or in the header X-Organization-Id.' },
    ])
  if (named !== undefined && named !== organization)
    throw invalid([
      { path: 'organization_id', message: 'Contradicts the header X-Organization-Id.' },
    ])
  return organization
}

const staffTypes = new Set(['lawyer', 'firm_admin', 'operator'])

/** User type of the person for whom a run speaks. A person without a known type has the rights of a client. */
export const resolveUserType = (
  { userType = '' }: Caller,
  user_id: string | null,
): string | null => {
  if (user_id === null) return null
  return knownType(userType)
}

/** A user type as it is stored: an unknown one has the rights of a client. */
export const knownType = (userType: string) => (staffTypes.has(userType) ? userType : 'client')
