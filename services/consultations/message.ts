import * as z from 'zod'
import { Id, Json, JsonObject, Time } from '../_kit/fields.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { AuthorType } from './speaker.ts'

export const Message = z
  .object({
    id: Id,
    session_id: Id,
    seq: z.int().describe('Position in the session, from 1.'),
    role: z.enum(['USER', 'ASSISTANT', 'SYSTEM', 'TOOL']),
    author_id: z
      .string()
      .nullable()
      .describe('Person who spoke, not the owner of the session. Null for the assistant.'),
    author_type: AuthorType,
    content: z.string(),
    file_ids: z.array(z.string()),
    card: Json.describe('Card of the message, or null.'),
    metadata: JsonObject,
    created_at: Time,
  })
  .meta({ id: 'ConsultationMessage' })
export type Message = z.infer<typeof Message>

export const messageColumns = fragment`
  m.id, m.session_id, m.seq, m.role, m.author_id, m.author_type, m.content, m.card, m.metadata, m.created_at,
  coalesce((select a.file_ids from consultations.attachments a where a.message_id = m.id), '[]')
    as file_ids`
