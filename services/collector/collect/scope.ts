import type { Context } from 'hono'
import type { Env } from '../../_kit/context.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { headerRequired } from '../permission.ts'

type C = Context<Env<Deps>>

/**
 * Condition for rows of the caller's organization. Callers with the internal key may omit the organization
 * and see all rows.
 */
export const inOrganization = ({ var: { caller } }: C) =>
  caller.organizationId === undefined
    ? fragment`true`
    : fragment`organization_id = ${caller.organizationId}`

/** Returns the organization that owns a new record. Throws if the header is missing. */
export function requireOrganization({ var: { caller } }: C): string {
  if (caller.organizationId === undefined) throw headerRequired('X-Organization-Id')
  return caller.organizationId
}
