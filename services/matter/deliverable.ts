import * as z from 'zod'
import { ExternalId, Time, Version } from '../_kit/fields.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { Name, Title } from './fields.ts'
import { same } from './merge.ts'

const State = z.object({
  deliverable_key: z.string(),
  title: z.string(),
  kind: z.string(),
  file_id: z.string().nullable(),
  version: Version,
})
type State = z.infer<typeof State>

export const Stored = State.extend({ created_at: Time })
export type Stored = z.infer<typeof Stored>

export const Deliverable = Stored.extend({
  presigned_url: z
    .string()
    .nullable()
    .describe('Made for this answer; null without a file, or while files-service is away.'),
}).meta({ id: 'Deliverable' })

export const columns = fragment`deliverable_key, title, kind, file_id, version, created_at`

export const DeliverableTold = z.object({
  deliverable_key: Name,
  title: Title.optional().describe('By default the key.'),
  kind: z.string().min(1).max(100).optional().describe('By default `document`.'),
  file_id: ExternalId.nullable().optional(),
})
export type DeliverableTold = z.output<typeof DeliverableTold>

/** What a deliverable becomes; its version moves when anything of it changes. */
export function revised(before: State | undefined, told: DeliverableTold): State {
  const after = {
    deliverable_key: told.deliverable_key,
    title: told.title ?? before?.title ?? told.deliverable_key,
    kind: told.kind ?? before?.kind ?? 'document',
    file_id: told.file_id === undefined ? (before?.file_id ?? null) : told.file_id,
    version: before?.version ?? 1,
  }
  return before && !same(before, after) ? { ...after, version: before.version + 1 } : after
}

export async function loadDeliverables(sql: Sql, matterId: string, keys: string[]) {
  const rows = await sql.rows(State)`
    select ${columns} from matter.deliverables
    where matter_id = ${matterId} and deliverable_key = any(${textArray(keys)})`
  return new Map(rows.map((each) => [each.deliverable_key, each]))
}

export const saveDeliverables = (sql: Sql, matterId: string, deliverables: State[]) => sql`
  insert into matter.deliverables (matter_id, deliverable_key, title, kind, file_id, version)
  select ${matterId}::uuid, deliverable_key, title, kind, file_id, version
  from jsonb_to_recordset(${json(deliverables)})
    as told (deliverable_key text, title text, kind text, file_id text, version int)
  on conflict (matter_id, deliverable_key) do update
  set title = excluded.title, kind = excluded.kind, file_id = excluded.file_id,
    version = excluded.version`
