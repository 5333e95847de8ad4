import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Client } from '../../_kit/peer.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { stripPlaybook } from '../playbook.ts'
import { isFaultCode } from './engine.ts'
import { peerHeaders, type Turn } from './turn.ts'

const base = '/api/v1/internal/matters'
const CreatedMatter = z.object({ matter_id: z.string() })
const BoundSession = z.object({ matter_id: z.string() })

/** Returns the matter of the session. The first turn creates it; matter-service creates one per session. */
export async function bindMatter(sql: Sql, matter: Client, turn: Turn): Promise<string> {
  if (turn.matter_id !== null) return turn.matter_id
  const { session_id, user_id, organization_id, title, service_type_id, user_type } = turn
  const attached = turn.request.kind === 'chat' ? turn.request.file_ids : []
  const created = await matter.request(CreatedMatter, `${base}/from-consultation`, {
    method: 'POST',
    headers: peerHeaders(turn),
    body: {
      session_id,
      user_id,
      organization_id,
      ...(title && { title }),
      service_type_id: service_type_id ?? 'legal_consultation',
      file_ids: [...new Set([...turn.session_file_ids, ...attached])],
      ...(userTypes.has(user_type ?? '') && { user_type }),
    },
    idempotent: true,
  })
  const bound = await sql.row(BoundSession)`
    update consultations.sessions set matter_id = coalesce(matter_id, ${created.matter_id}),
      updated_at = now()
    where id = ${session_id} returning matter_id`
  return bound!.matter_id
}

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

export async function loadMatterProfile(matter: Client, turn: Turn, matter_id: string) {
  const path = `${base}/${encodeURIComponent(matter_id)}/workflow/profile`
  const profile = await matter
    .request(JsonObject, path, { headers: peerHeaders(turn) })
    .catch((thrown) => {
      if (isFaultCode(thrown, 'NOT_FOUND')) return {}
      throw thrown
    })
  const visible = Object.entries(profile).filter(([name]) => profileFields.includes(name))
  return stripPlaybook(Object.fromEntries(visible))
}
