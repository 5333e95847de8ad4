import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { sessionArchived } from '../session.ts'
import type { Speaker } from '../speaker.ts'
import type { Language } from '../texts.ts'
import { insertCardEvent } from './card-event.ts'
import { leaseExpired } from './log/relay-lease.ts'
import {
  type EngineRequest,
  LeaseLost,
  leaseHeld,
  leaseUntil,
  startLeaseUntil,
  Turn,
  turnColumns,
} from './turn.ts'

/** Input of a turn: the message to store and the request to the engine. */
export interface TurnRequest {
  request: EngineRequest
  content: string
  file_ids: string[]
  metadata: Record<string, unknown>
  speaker: Speaker
  /** Language of what the person wrote; null if it has no letters. */
  language: Language | null
  client_message_id: string | undefined
  /** The refused turn of the same request, to be started again. */
  refused_turn_id?: string | undefined
  request_id: string
  traceparent: string
}

/** A new turn to start, the existing turn of the same request, or the turn that blocks the session. */
export type OpenResult = { turn: Turn } | { joined: string } | { busy: string }

const SessionState = z.object({
  status: z.enum(['ACTIVE', 'ARCHIVED']),
  turn_id: z.string().nullable(),
})
const ExistingTurn = z.object({
  id: z.string(),
  status: z.enum(['RUNNING', 'BROKEN', 'REFUSED', 'DONE']),
  request_hash: z.string(),
})

/** Stores the message and its turn before anything runs. */
export async function openTurn(
  sql: Sql,
  session: string,
  turnRequest: TurnRequest,
): Promise<OpenResult> {
  const hash = await sha256Hex(canonicalJson(turnRequest.request))
  if (turnRequest.refused_turn_id) return openOrJoin(sql, session, turnRequest, hash)
  const turn = await insertTurn(sql, session, turnRequest, hash).catch((thrown) => {
    // A concurrent request with the same client_message_id was first.
    if ((thrown as { code?: unknown }).code !== uniqueViolation) throw thrown
    return undefined
  })
  return turn ? { turn } : openOrJoin(sql, session, turnRequest, hash)
}

const uniqueViolation = '23505'

/** Finds out why a turn could not be inserted, under a lock on the session, and continues accordingly. */
const openOrJoin = (sql: Sql, session: string, turnRequest: TurnRequest, hash: string) =>
  sql.transaction(async (sql): Promise<OpenResult> => {
    const state = await sql.row(SessionState)`
      select status, turn_id from consultations.sessions where id = ${session} for update`
    if (!state) throw notFound(`session ${session}`)
    if (state.status === 'ARCHIVED') throw sessionArchived(turnRequest.language)
    const existing = await findExistingTurn(sql, session, turnRequest)
    if (existing && existing.request_hash !== hash) {
      throw new Fault('CONFLICT', 'This client_message_id was used with another request.')
    }
    if (existing && existing.status !== 'REFUSED') return { joined: existing.id }
    if (state.turn_id !== null) return { busy: state.turn_id }
    const turn = existing
      ? await restartTurn(sql, session, existing.id)
      : await insertTurn(sql, session, turnRequest, hash)
    return { turn: turn! }
  })

async function findExistingTurn(
  sql: Sql,
  session: string,
  { client_message_id, refused_turn_id }: TurnRequest,
) {
  if (client_message_id === undefined && refused_turn_id === undefined) return undefined
  const which = refused_turn_id
    ? fragment`id = ${refused_turn_id}`
    : fragment`client_message_id = ${client_message_id!}`
  return sql.row(ExistingTurn)`
    select id, status, request_hash from consultations.turns
    where session_id = ${session} and ${which}`
}

/**
 * Inserts the message, its attachments and the running turn in one statement. Returns undefined if the session is
 * archived, has a turn, or knows the client_message_id.
 */
async function insertTurn(
  sql: Sql,
  session: string,
  turnRequest: TurnRequest,
  hash: string,
): Promise<Turn | undefined> {
  const [id, user_message_id, message_id] = [newId(), newId(), newId()]
  const { request, content, file_ids, speaker, language, client_message_id = null } = turnRequest
  const metadata = { ...turnRequest.metadata, ...(client_message_id && { client_message_id }) }
  const attachments = fragment`,
    a as (
      insert into consultations.attachments (message_id, session_id, file_ids)
      select ${user_message_id}::uuid, id, ${json(file_ids)} from s)`
  const turn = await sql.row(Turn)`
    with s as (
      update consultations.sessions set last_seq = last_seq + 1, last_message_at = now(),
        updated_at = now(), language = coalesce(${language}, language), turn_id = ${id}
      where id = ${session} and status = 'ACTIVE' and turn_id is null and not exists (
        select from consultations.turns
        where session_id = ${session} and client_message_id = ${client_message_id}::text)
      returning *),
    m as (
      insert into consultations.messages (id, session_id, seq, role, author_id, author_type, content,
        metadata)
      select ${user_message_id}::uuid, id, last_seq, 'USER', ${speaker.userId}::text,
        ${speaker.userType}::text, ${content}::text, ${json(metadata)} from s)${file_ids.length > 0 ? attachments : fragment``},
    t as (
      insert into consultations.turns (id, session_id, kind, status, client_message_id, request,
        request_hash, request_id, traceparent, user_message_id, message_id, token, lease_until,
        author_id, author_type)
      select ${id}::uuid, id, ${request.kind}::text, 'RUNNING', ${client_message_id}::text,
        ${json(request)}, ${hash}::text, ${turnRequest.request_id}::text,
        ${turnRequest.traceparent}::text, ${user_message_id}::uuid, ${message_id}::uuid, 1,
        ${startLeaseUntil}, ${speaker.userId}::text, ${speaker.userType}::text from s
      returning *)
    select ${turnColumns}, 'REFUSED' as before from t, s`
  // The statement does not see the attachments that it inserts.
  return turn && { ...turn, attached_file_ids: [...turn.attached_file_ids, ...file_ids] }
}

/** Starts a turn that was refused. */
const restartTurn = (sql: Sql, session: string, id: string) => sql.row(Turn)`
  with t as (
    update consultations.turns set status = 'RUNNING', token = token + 1,
      lease_until = ${startLeaseUntil}, relay_id = null, stop_requested = false
    where id = ${id} returning *),
  s as (update consultations.sessions set turn_id = ${id} where id = ${session} returning *)
  select ${turnColumns}, 'REFUSED' as before from t, s`

const RecordedRun = z.object({ stop_requested: z.boolean() })

/** Stores the run of a turn. From here on the lease is short and the relay renews it. */
export async function recordRun(sql: Sql, turn: Turn): Promise<{ stop_requested: boolean }> {
  const { request } = turn
  const outbox =
    request.kind === 'chat'
      ? fragment``
      : fragment`, outbox as (${insertCardEvent('card.answered', request.card_id)})`
  const recorded = await sql.row(RecordedRun)`
    with held as (
      update consultations.turns set run_id = ${turn.run_id}, lease_until = ${leaseUntil()}
      where ${leaseHeld(turn)} returning session_id, stop_requested)${outbox}
    select stop_requested from held`
  if (!recorded) throw new LeaseLost(`turn ${turn.id} is relayed by another process`)
  return recorded
}

/**
 * Frees the session of a turn that could not start. The message stays if the fault is retryable; otherwise the
 * message and the turn are deleted.
 */
export const rejectTurn = (sql: Sql, turn: Turn, fault: Fault) =>
  sql.transaction(async (sql) => {
    const rejected = await sql`
      update consultations.turns set status = 'REFUSED' where ${leaseHeld(turn)} returning id`
    if (rejected.length === 0) return
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

/** Claims turns whose lease has expired and BROKEN turns. */
export const claim = (sql: Sql, which = fragment`true`, limit = 1) => sql.rows(Turn)`
  with free as (
    select id, status from consultations.turns t
    where (status = 'RUNNING' and ${leaseExpired} or status = 'BROKEN') and ${which}
    order by lease_until for update skip locked limit ${limit}),
  t as (
    update consultations.turns t set status = 'RUNNING', token = token + 1, relay_id = null,
      lease_until = case when run_id is null then ${startLeaseUntil}
        else now() + interval '10 seconds' end
    from free where t.id = free.id returning t.*, free.status as before)
  select ${turnColumns}, t.before from t join consultations.sessions s on s.id = t.session_id`
