import type { Context } from 'hono'
import type { Env } from '../../_kit/endpoint.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { headerRequired } from '../permission.ts'

type C = Context<Env<Deps>>

/**
 * Rows of the organization that asks. At paths that ask for the key it may be left out: who holds the
 * key is trusted with all of them.
 */
export const inOrganization = ({ var: { caller } }: C) =>
  caller.organizationId === undefined
    ? fragment`true`
    : fragment`organization_id = ${caller.organizationId}`

/** Whose a new record will be. */
export function requireOrganization({ var: { caller } }: C): string {
  if (caller.organizationId === undefined) throw headerRequired('X-Organization-Id')
  return caller.organizationId
}
