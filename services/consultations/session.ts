import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import { ExternalId, Id, Time, Version } from '../_kit/fields.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import type { Scope } from './scope.ts'
import { type Language, text } from './texts.ts'

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

/** A session with the fields that a turn needs and responses do not show. */
export const TurnSession = Session.extend({
  user_type: z.string().nullable(),
  language: z.enum(['zh', 'en']).nullable(),
})
export type TurnSession = z.infer<typeof TurnSession>

/** Loads a session with the fields that a turn needs. */
export async function loadTurnSession(sql: Sql, scope: Scope, id: string): Promise<TurnSession> {
  const session = await sql.row(TurnSession)`
    select ${sessionColumns}, s.user_type, s.language from consultations.sessions s
    where s.id = ${id} and ${scope}`
  if (!session) throw notFound(`session ${id}`)
  return session
}

/** Loads a session for a new turn; 409 if it is archived. */
export async function loadActiveSession(sql: Sql, scope: Scope, id: string): Promise<TurnSession> {
  const session = await loadTurnSession(sql, scope, id)
  if (session.status === 'ARCHIVED') throw sessionArchived(session.language)
  return session
}

export const sessionArchived = (language: Language | null = null) =>
  new Fault('CONFLICT', text('sessionArchived', language), { code: 'SESSION_ARCHIVED' })
