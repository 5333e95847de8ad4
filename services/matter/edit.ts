import * as z from 'zod'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, JsonObject } from '../_kit/fields.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { type Changes, commitChange } from './commit-change.ts'
import { FileIds, OrganizationId, Title } from './fields.ts'
import { type Matter, MatterCategory, Status } from './matter.ts'
import { diffMembers, isEqual, mergePatch, mergeSections, union } from './merge.ts'

/** Fields that a request may repeat but not change. */
const ImmutableFields = z.object({
  status: Status.optional().describe('Must equal the current value. Change it with POST /status.'),
  organization_id: OrganizationId.optional().describe('Must equal the current value.'),
  user_id: ExternalId.optional().describe('Must equal the current value.'),
  session_id: ExternalId.nullable().optional().describe('Must equal the current value.'),
})

const EditableFields = z.object({
  title: Title.optional(),
  matter_category: MatterCategory.optional(),
  cause_of_action_code: ExternalId.nullable().optional(),
  service_type_id: ExternalId.optional(),
  provider_organization_id: OrganizationId.nullable().optional(),
  lawyer_id: ExternalId.nullable().optional(),
  firm_id: ExternalId.nullable().optional(),
  file_ids: FileIds.optional(),
  profile: JsonObject.optional(),
  data: JsonObject.optional(),
})

export const MatterPatch = EditableFields.extend(ImmutableFields.shape).meta({
  examples: [{ title: 'Loan to Li Si', profile: { amount: 100_000, court: null } }],
})

export async function updateMatter(
  sql: Sql,
  before: Matter,
  actor: string,
  body: z.output<typeof MatterPatch>,
): Promise<Matter> {
  rejectImmutable(before, body)
  const { profile, data, file_ids, ...scalars } = body
  const changes = changedMembers(before, {
    ...scalars,
    ...(file_ids && { file_ids: union([], file_ids) }),
    ...(profile && { profile: mergePatch(before.profile, profile) }),
    ...(data && { data: mergeSections(before.data, data) }),
  })
  const names = Object.keys(changes)
  if (names.length === 0) return before
  const event = {
    type: 'matter.edited',
    summary: `Changed ${names.join(', ')}.`,
    ...diffMembers(before, { ...before, ...changes }, 2),
  }
  return commitChange(sql, before, actor, event, changes)
}

/** Returns the members of `next` that differ from the matter. */
export const changedMembers = (before: Matter, next: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([member, value]) => value !== undefined && !isEqual(before[member as keyof Matter], value),
    ),
  ) as Changes

function rejectImmutable(before: Matter, body: z.output<typeof ImmutableFields>) {
  const issues = (Object.keys(ImmutableFields.shape) as (keyof typeof body)[])
    .filter((member) => body[member] !== undefined && body[member] !== before[member])
    .map((member) => ({
      path: member,
      message:
        member === 'status' ? 'Change the status with POST /status.' : 'This field is immutable.',
    }))
  if (issues.length > 0) throw invalid(issues)
}
