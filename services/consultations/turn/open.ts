import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { archived } from '../session.ts'
import { beginUntil, held, LeaseLost, leaseUntil, type Request, Turn, turnColumns } from './turn.ts'

/** What a person brings to a session. */
export interface Asked {
  request: Request
  content: string
  file_ids: string[]
  metadata: Record<string, unknown>
  client_message_id: string | undefined
  request_id: string
  traceparent: string
}

/** A turn to begin, one that was begun before, or the one that is in the way. */
export type Opened = { turn: Turn } | { joined: string } | { busy: string }

const Standing = z.object({
  status: z.enum(['ACTIVE', 'ARCHIVED']),
  turn_id: z.string().nullable(),
})
const Known = z.object({
  id: z.string(),
  status: z.enum(['RUNNING', 'BROKEN', 'REFUSED', 'DONE']),
  request_hash: z.string(),
})

/** Keeps what was said, and the turn that is to answer it, before anything else happens. */
export async function openTurn(sql: Sql, session: string, asked: Asked): Promise<Opened> {
  const hash = await sha256Hex(canonicalJson(asked.request))
  return sql.transaction(async (sql) => {
    const standing = await sql.row(Standing)`
      select status, turn_id from consultations.sessions where id = ${session} for update`
    if (!standing) throw notFound(`session ${session}`)
    if (standing.status === 'ARCHIVED') throw archived()
    const known = await knownTurn(sql, session, asked.client_message_id)
    if (known && known.request_hash !== hash) {
      throw new Fault('CONFLICT', 'This client_message_id was used before for something else.')
    }
    if (known && known.status !== 'REFUSED') return { joined: known.id }
    if (standing.turn_id !== null) return { busy: standing.turn_id }
    const id = known ? known.id : await keep(sql, session, asked, hash)
    return { turn: await start(sql, session, id) }
  })
}

async function knownTurn(sql: Sql, session: string, client_message_id: string | undefined) {
  if (client_message_id === undefined) return undefined
  return sql.row(Known)`
    select id, status, request_hash from consultations.turns
    where session_id = ${session} and client_message_id = ${client_message_id}`
}

/** The message, what it brought along, and a turn that has yet to start. */
async function keep(sql: Sql, session: string, asked: Asked, hash: string): Promise<string> {
  const [id, user_message_id, message_id] = [newId(), newId(), newId()]
  const { request, content, file_ids, client_message_id = null } = asked
  const metadata = { ...asked.metadata, ...(client_message_id && { client_message_id }) }
  await sql`
    with s as (
      update consultations.sessions set last_seq = last_seq + 1, last_message_at = now(),
        updated_at = now()
      where id = ${session} returning last_seq)
    insert into consultations.messages (id, session_id, seq, role, content, metadata)
    select ${user_message_id}::uuid, ${session}::uuid, last_seq, 'USER', ${content}::text,
      ${json(metadata)} from s`
  if (file_ids.length > 0) {
    await sql`
      insert into consultations.attachments (message_id, session_id, file_ids)
      values (${user_message_id}, ${session}, ${json(file_ids)})`
  }
  await sql`
    insert into consultations.turns (id, session_id, kind, status, client_message_id, request,
      request_hash, request_id, traceparent, user_message_id, message_id, token, lease_until)
    values (${id}, ${session}, ${request.kind}, 'REFUSED', ${client_message_id}, ${json(request)},
      ${hash}, ${asked.request_id}, ${asked.traceparent}, ${user_message_id}, ${message_id}, 0, now())`
  return id
}

async function start(sql: Sql, session: string, id: string): Promise<Turn> {
  const turn = await sql.row(Turn)`
    with t as (
      update consultations.turns set status = 'RUNNING', token = token + 1, lease_until = ${beginUntil}
      where id = ${id} returning *),
    s as (update consultations.sessions set turn_id = ${id} where id = ${session} returning *)
    select ${turnColumns}, 'REFUSED' as before from t, s`
  return turn!
}

/**
 * Writes down which run answers the turn. From here on the lease is a short one: whoever relays it must
 * keep saying so, and whoever finds it run out knows where to go on.
 */
export async function noteRun(sql: Sql, turn: Turn): Promise<void> {
  const noted = await sql`
    update consultations.turns set run_id = ${turn.run_id}, lease_until = ${leaseUntil()}
    where ${held(turn)} returning id`
  if (noted.length === 0) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
}

/**
 * Frees the session of a turn that could not begin. What the person said is kept where trying again may
 * help; where it was refused for good, it is as if it had not been said.
 */
export const refuse = (sql: Sql, turn: Turn, fault: Fault) =>
  sql.transaction(async (sql) => {
    const refused = await sql`
      update consultations.turns set status = 'REFUSED' where ${held(turn)} returning id`
    if (refused.length === 0) return
    await sql`
      update consultations.sessions set turn_id = null where id = ${turn.session_id}`
    if (fault.retryable) return
    await sql`delete from consultations.turns where id = ${turn.id}`
    await sql`
      with m as (
        delete from consultations.messages where id = ${turn.user_message_id} returning seq)
      update consultations.sessions s
      set last_seq = case when last_seq = m.seq then last_seq - 1 else last_seq end,
        last_message_at = (select max(created_at) from consultations.messages o
          where o.session_id = s.id and o.id <> ${turn.user_message_id})
      from m where s.id = ${turn.session_id}`
  })

/** The turn, ours from here on, if nobody relays it or it waits to be picked up. */
export const claim = (sql: Sql, which = fragment`true`, most = 1) => sql.rows(Turn)`
  with free as (
    select id, status from consultations.turns t
    where (status = 'RUNNING' and lease_until < now() or status = 'BROKEN') and ${which}
    order by lease_until for update skip locked limit ${most}),
  t as (
    update consultations.turns t set status = 'RUNNING', token = token + 1,
      lease_until = case when run_id is null then ${beginUntil}
        else now() + interval '10 seconds' end
    from free where t.id = free.id returning t.*, free.status as before)
  select ${turnColumns}, t.before from t join consultations.sessions s on s.id = t.session_id`
