import * as z from 'zod'
import { SuiteEvent } from '../../_kit/event-outbox.ts'
import type { Caller } from '../../_kit/identity.ts'
import { fragment, type SqlFragment } from '../../_kit/sql/sql.ts'

export const StoredEvent = SuiteEvent.extend({ seq: z.int() })
export type StoredEvent = z.infer<typeof StoredEvent>

export const eventColumns = fragment`
  seq, id, type, organization_id, provider_organization_id, user_id, matter_id, at, data`

const staffTypes = ['lawyer', 'firm_admin', 'operator']
const isStaff = ({ userType }: Caller) => staffTypes.includes(userType ?? '')

/** Staff see the events of their organization, everyone else those of their own matters. */
export const isVisible = (event: StoredEvent, caller: Caller) =>
  (event.organization_id === caller.organizationId ||
    event.provider_organization_id === caller.organizationId) &&
  (isStaff(caller) || (caller.userId !== undefined && event.user_id === caller.userId))

/** The same rule as a condition. */
export function visibleTo(caller: Caller): SqlFragment {
  const organization = caller.organizationId!
  const inOrganization = fragment`
    (organization_id = ${organization} or provider_organization_id = ${organization})`
  return isStaff(caller)
    ? inOrganization
    : fragment`(${inOrganization} and user_id = ${caller.userId ?? null})`
}

/** The event as people and webhooks receive it. */
export const publicEvent = ({ id, type, organization_id, matter_id, at, data }: StoredEvent) => ({
  ...data,
  id,
  type,
  organization_id,
  matter_id: matter_id ?? null,
  at,
})
