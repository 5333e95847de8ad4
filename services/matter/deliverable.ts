import * as z from 'zod'
import { ExternalId, Time, Version } from '../_kit/fields.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { Name, Title } from './fields.ts'
import { isEqual } from './merge.ts'

const DeliverableState = z.object({
  deliverable_key: z.string(),
  title: z.string(),
  kind: z.string(),
  file_id: z.string().nullable(),
  version: Version,
})
type DeliverableState = z.infer<typeof DeliverableState>

export const StoredDeliverable = DeliverableState.extend({ created_at: Time })
export type StoredDeliverable = z.infer<typeof StoredDeliverable>

export const Deliverable = StoredDeliverable.extend({
  presigned_url: z
    .string()
    .nullable()
    .describe(
      'Created for this response. Null without a file, or if files-service is unavailable.',
    ),
}).meta({ id: 'Deliverable' })

export const columns = fragment`deliverable_key, title, kind, file_id, version, created_at`

export const DeliverablePatch = z.object({
  deliverable_key: Name,
  title: Title.optional().describe('Default: the key.'),
  kind: z.string().min(1).max(100).optional().describe('Default: `document`.'),
  file_id: ExternalId.nullable().optional(),
})
export type DeliverablePatch = z.output<typeof DeliverablePatch>

/** Applies a patch. The version increases by one if anything changes. */
export function patchDeliverable(
  before: DeliverableState | undefined,
  patch: DeliverablePatch,
): DeliverableState {
  const after = {
    deliverable_key: patch.deliverable_key,
    title: patch.title ?? before?.title ?? patch.deliverable_key,
    kind: patch.kind ?? before?.kind ?? 'document',
    file_id: patch.file_id === undefined ? (before?.file_id ?? null) : patch.file_id,
    version: before?.version ?? 1,
  }
  return before && !isEqual(before, after) ? { ...after, version: before.version + 1 } : after
}

export async function loadDeliverables(sql: Sql, matterId: string, keys: string[]) {
  const rows = await sql.rows(DeliverableState)`
    select ${columns} from matter.deliverables
    where matter_id = ${matterId} and deliverable_key = any(${textArray(keys)})`
  return new Map(rows.map((each) => [each.deliverable_key, each]))
}

/** Saves the newest state of deliverables, and keeps each version. */
export const saveDeliverables = (
  sql: Sql,
  matterId: string,
  deliverables: DeliverableState[],
) => sql`
  with input as (
    select * from jsonb_to_recordset(${json(deliverables)})
      as input (deliverable_key text, title text, kind text, file_id text, version int)
  ), versions as (
    insert into matter.deliverable_versions
      (matter_id, deliverable_key, title, kind, file_id, version)
    select ${matterId}::uuid, deliverable_key, title, kind, file_id, version from input
  )
  insert into matter.deliverables (matter_id, deliverable_key, title, kind, file_id, version)
  select ${matterId}::uuid, deliverable_key, title, kind, file_id, version from input
  on conflict (matter_id, deliverable_key) do update
  set title = excluded.title, kind = excluded.kind, file_id = excluded.file_id,
    version = excluded.version`
