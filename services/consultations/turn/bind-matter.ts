import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Client } from '../../_kit/peer.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { stripPlaybook } from '../playbook.ts'
import { isFaultCode } from './engine.ts'
import { peerHeaders, type Turn, turnFileIds } from './turn.ts'

const base = '/api/v1/internal/matters'
const CreatedMatter = z.object({ matter_id: z.string() })

/** Creates the matter of a session. matter-service creates one per session, however often it is asked. */
export async function createMatter(matter: Client, turn: Turn): Promise<string> {
  const { session_id, user_id, organization_id, title, service_type_id, user_type } = turn
  const { matter_id } = await matter.request(CreatedMatter, `${base}/from-consultation`, {
    method: 'POST',
    headers: peerHeaders(turn),
    body: {
      session_id,
      user_id,
      organization_id,
      ...(title && { title }),
      service_type_id: service_type_id ?? 'legal_consultation',
      file_ids: turnFileIds(turn),
      user_type: userTypes.has(user_type ?? '') ? user_type : 'client',
    },
    idempotent: true,
  })
  return matter_id
}

/** Stores the matter of a session. Only the turn that runs on the session binds it. */
export const bindMatter = (sql: Sql, { session_id }: Turn, matter_id: string) => sql`
  update consultations.sessions set matter_id = coalesce(matter_id, ${matter_id}), updated_at = now()
  where id = ${session_id}`

const userTypes = new Set(['client', 'lawyer', 'firm_admin', 'operator'])

/** Fields of a matter profile that are sent to the engine. */
const profileFields = [
  'matter_id',
  'status',
  'matter_category',
  'cause_of_action_code',
  'service_type_id',
  'profile',
  'phases',
  'todos',
  'file_ids',
  'analysis_version',
]

const FileIds = z.array(z.string())

/** Loads the profile of a matter: the fields for the engine, and the files that the matter lists. */
export async function loadMatterProfile(matter: Client, turn: Turn, matter_id: string) {
  const path = `${base}/${encodeURIComponent(matter_id)}/workflow/profile`
  const profile: Record<string, unknown> = await matter
    .request(JsonObject, path, { headers: peerHeaders(turn) })
    .catch((thrown) => {
      if (isFaultCode(thrown, 'NOT_FOUND')) return {}
      throw thrown
    })
  const visible = Object.entries(profile).filter(([name]) => profileFields.includes(name))
  const file_ids = FileIds.safeParse(profile.file_ids).data ?? []
  return { visible: stripPlaybook(Object.fromEntries(visible)), file_ids }
}

/** Adds the files of the session to its matter, those that the matter does not list yet. */
export async function syncFiles(
  matter: Client,
  turn: Turn,
  matter_id: string,
  existing: readonly string[],
): Promise<void> {
  const file_ids = turnFileIds(turn).filter((id) => !existing.includes(id))
  if (file_ids.length === 0) return
  await matter
    .request(JsonObject, `${base}/${encodeURIComponent(matter_id)}/sync/all`, {
      method: 'POST',
      headers: peerHeaders(turn),
      body: { file_ids, sync_key: `consultations:files:${turn.id}:${turn.token}` },
      idempotent: true,
    })
    .catch((thrown) => {
      // A matter that is deleted or closed takes no files; the turn continues without it.
      if (!isFaultCode(thrown, 'NOT_FOUND', 'CONFLICT')) throw thrown
    })
}
