import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { errorFields } from '../../_kit/log.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { addAssistantMessage } from '../messages.ts'
import { text } from '../texts.ts'
import { acknowledgeNotices, loadNotices, type Notice } from './engine.ts'
import { claimAndRelay } from './run-turn.ts'

/**
 * Takes the notices of the engine's card timers: stores a message for a reminder, and relays the run of an
 * expired card as a turn. Each notice takes effect once, because it is applied idempotently and acknowledged
 * afterwards. Returns the number of acknowledged notices.
 */
export async function takeNotices(context: ServiceContext<Deps>): Promise<number> {
  const { sql, engine, kit } = context
  const items = await loadNotices(engine).then(
    (notices) => notices.items,
    // The engine is unavailable and keeps its notices.
    () => [],
  )
  const taken: string[] = []
  for (const notice of items) {
    try {
      const turn_id = await applyNotice(sql, notice)
      if (turn_id === 'busy') continue
      taken.push(notice.notice_id)
      const handle = turn_id && (await claimAndRelay(context, turn_id))
      if (handle && kit.runtime === 'workerd') await handle.done
    } catch (thrown) {
      kit.log.warn({ notice: notice.notice_id, ...errorFields(thrown) }, 'notice not applied')
    }
  }
  if (taken.length === 0) return 0
  return acknowledgeNotices(engine, taken).then(
    ({ acknowledged }) => acknowledged,
    () => 0,
  )
}

const SessionRow = z.object({
  id: z.string(),
  user_id: z.string(),
  turn_id: z.string().nullable(),
  language: z.enum(['zh', 'en']).nullable(),
})

/** Returns the new turn, or `busy` if another turn of the session must end first. */
const applyNotice = (sql: Sql, notice: Notice): Promise<string | undefined> =>
  sql.transaction(async (sql) => {
    const session = await sql.row(SessionRow)`
      select id, user_id, turn_id, language from consultations.sessions
      where id::text = ${notice.session_id} and organization_id = ${notice.organization_id}
        and status = 'ACTIVE' for update`
    if (!session) return undefined
    const { notice_id, kind, card_id, run_id } = notice
    if (kind === 'card_reminder') {
      await addAssistantMessage(sql, session.id, {
        content: text('cardReminder', session.language),
        metadata: { card_id, reminder: true },
        dedupe_key: `reminder:${notice_id}`,
      })
      return undefined
    }
    if (run_id === null) return undefined
    const [existing] = await sql`
      select 1 from consultations.turns where run_id = ${run_id} and session_id = ${session.id}`
    if (existing) return undefined
    if (session.turn_id !== null) return 'busy'
    return insertExpiryTurn(sql, session, card_id, run_id)
  })

/** Inserts a turn for a run that exists already. Its lease has expired, so that any process may relay it. */
async function insertExpiryTurn(
  sql: Sql,
  { id: session, user_id, language }: z.infer<typeof SessionRow>,
  card_id: string,
  run_id: string,
): Promise<string> {
  const [id, cause_id] = [newId(), newId()]
  const request = { kind: 'expiry', card_id }
  await sql`
    with s as (
      update consultations.sessions set last_seq = last_seq + 1, last_message_at = now(),
        updated_at = now(), turn_id = ${id}
      where id = ${session} returning last_seq)
    insert into consultations.messages (id, session_id, seq, role, author_type, content, metadata)
    select ${cause_id}::uuid, ${session}::uuid, last_seq, 'SYSTEM', 'assistant',
      ${text('cardExpired', language)}::text, ${json({ card_id, expired: true })} from s`
  await sql`
    insert into consultations.turns (id, session_id, kind, status, request, request_hash, request_id,
      traceparent, user_message_id, message_id, run_id, token, lease_until, author_id, author_type)
    values (${id}, ${session}, 'expiry', 'RUNNING', ${json(request)},
      ${await sha256Hex(canonicalJson(request))}, '', '', ${cause_id}, ${newId()}, ${run_id}, 0,
      now() - interval '1 second', ${user_id}, 'client')`
  return id
}
