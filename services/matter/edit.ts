import * as z from 'zod'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, JsonObject } from '../_kit/fields.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { FileIds, OrganizationId, Title } from './fields.ts'
import { type Matter, MatterCategory, Status } from './matter.ts'
import { difference, mergeMembers, mergeSections, same, union } from './merge.ts'
import { type Changes, write } from './write.ts'

/** What people may send back as they read it, and not otherwise. */
const Fixed = z.object({
  status: Status.optional().describe('As it is; it moves by /status.'),
  organization_id: OrganizationId.optional().describe('As it is.'),
  user_id: ExternalId.optional().describe('As it is.'),
  session_id: ExternalId.nullable().optional().describe('As it is.'),
})

const Editable = z.object({
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

export const Edit = Editable.extend(Fixed.shape).meta({
  examples: [{ title: 'Loan to Li Si', profile: { amount: 100_000, court: null } }],
})

export async function edit(
  sql: Sql,
  before: Matter,
  actor: string,
  body: z.output<typeof Edit>,
): Promise<Matter> {
  refuseFixed(before, body)
  const { profile, data, file_ids, ...plain } = body
  const changes = changesTo(before, {
    ...plain,
    ...(file_ids && { file_ids: union([], file_ids) }),
    ...(profile && { profile: mergeMembers(before.profile, profile) }),
    ...(data && { data: mergeSections(before.data, data) }),
  })
  const names = Object.keys(changes)
  if (names.length === 0) return before
  const event = {
    type: 'matter.edited',
    summary: `Changed ${names.join(', ')}.`,
    ...difference(before, { ...before, ...changes }, 2),
  }
  return write(sql, before, actor, event, changes)
}

/** Of what is wanted, what is not so already. */
export const changesTo = (before: Matter, wanted: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([member, value]) => value !== undefined && !same(before[member as keyof Matter], value),
    ),
  ) as Changes

function refuseFixed(before: Matter, body: z.output<typeof Fixed>) {
  const issues = (Object.keys(Fixed.shape) as (keyof typeof body)[])
    .filter((member) => body[member] !== undefined && body[member] !== before[member])
    .map((member) => ({
      path: member,
      message: member === 'status' ? 'Moves only by /status.' : 'Cannot change.',
    }))
  if (issues.length > 0) throw invalid(issues)
}
