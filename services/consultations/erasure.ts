import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import {
  ErasureRequest as ErasureBody,
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  requestedMatterIds,
} from '../_kit/erasure.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { type Scope, serviceGuard, visibleToService } from './scope.ts'

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the sessions of a person or a matter',
      description:
        'Deletes the sessions with their messages, turns and events. Messages of the person in sessions of others stay, without the author. Idempotent: a second call erases nothing.',
      guard: serviceGuard,
      body: bodySchema(ErasureBody),
      example: { user_id: 7, dry_run: true },
      responses: { 200: ErasureResponse },
    },
    async (c, { body }) => {
      const scope = visibleToService(c.var.caller)
      const erased = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(sql, scope, body),
      )
      return ok(c, { erased })
    },
  ),
]

const Counts = z.object({ messages: z.int(), turns: z.int() })

/** Messages, attachments, turns and events are deleted with their session. A relay of such a turn loses its lease. */
async function erase(sql: Sql, scope: Scope, request: ErasureRequest) {
  const { user_id = null } = request
  const owned = fragment`${scope} and (s.user_id = ${user_id}::text
    or s.matter_id = any(${textArray(requestedMatterIds(request))}))`
  const locked = await sql`
    select s.id from consultations.sessions s where ${owned} order by s.id for update`
  const ids = textArray(locked.map(({ id }) => String(id)))
  const counts = await sql.row(Counts)`
    select
      (select count(*)::int from consultations.messages where session_id = any(${ids}::uuid[]))
        as messages,
      (select count(*)::int from consultations.turns where session_id = any(${ids}::uuid[])) as turns`
  await sql`delete from consultations.sessions where id = any(${ids}::uuid[])`
  const anonymized = await sql`
    update consultations.messages m set author_id = null
    from consultations.sessions s
    where s.id = m.session_id and ${scope} and m.author_id = ${user_id}::text returning m.id`
  return { sessions: locked.length, ...counts!, anonymized_messages: anonymized.length }
}
