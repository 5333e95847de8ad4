import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import { ExternalId, Id, Time, Version } from '../_kit/fields.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import type { Scope } from './scope.ts'

export const FileIds = z.array(z.string().min(1).max(200)).max(200)

/** Editable fields of a session. */
export const SessionFields = z.object({
  title: z.string().max(500).nullable(),
  service_type_id: ExternalId.nullable(),
  file_ids: FileIds,
})

export const Session = z
  .object({
    id: Id,
    matter_id: z.string().nullable().describe('Null until the first turn.'),
    user_id: z.string(),
    organization_id: z.string(),
    title: z.string().nullable(),
    service_type_id: z.string().nullable(),
    file_ids: z.array(z.string()),
    status: z.enum(['ACTIVE', 'ARCHIVED']),
    thread_id: z.string(),
    last_message_at: Time.nullable(),
    version: Version,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'ConsultationSession' })
export type Session = z.infer<typeof Session>

export const sessionColumns = fragment`
  s.id, s.matter_id, s.user_id, s.organization_id, s.title, s.service_type_id, s.file_ids, s.status,
  s.thread_id, s.last_message_at, s.version, s.created_at, s.updated_at`

export const ById = z.object({ id: Id })
export const BySessionId = z.object({ sessionId: Id })

export async function loadSession(
  sql: Sql,
  scope: Scope,
  id: string,
  lock = fragment``,
): Promise<Session> {
  const session = await sql.row(Session)`
    select ${sessionColumns} from consultations.sessions s where s.id = ${id} and ${scope} ${lock}`
  if (!session) throw notFound(`session ${id}`)
  return session
}

export const sessionArchived = () =>
  new Fault('CONFLICT', 'The session is archived and cannot be changed.', {
    code: 'SESSION_ARCHIVED',
  })
