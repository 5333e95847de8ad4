import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import {
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  ErasureRequest as Request,
  requestedMatterIds,
} from '../_kit/erasure.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, identifier, type Sql, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'

/** Tables with a thread_id. */
const threadTables = ['notices', 'cards', 'calls', 'outbox', 'checkpoints', 'runs', 'threads']

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the threads of a user or of a matter',
      description:
        'Erases threads with their runs, events, traces, cards and recorded calls. A run in progress loses its lease and stops.',
      guard: organization,
      body: Request,
      responses: { 200: ErasureResponse },
    },
    async (c, { body }) => {
      const org = c.var.caller.organizationId!
      const erased = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(sql, org, body),
      )
      return ok(c, { erased })
    },
  ),
]

const ThreadId = z.object({ thread_id: z.string() })

async function erase(sql: Sql, org: string, body: ErasureRequest) {
  const matters = fragment`matter_id = any(${textArray(requestedMatterIds(body))})`
  const subject =
    body.user_id === undefined ? matters : fragment`(user_id = ${body.user_id} or ${matters})`
  const threads = await sql.rows(ThreadId)`
    select thread_id from ai_engine.threads where organization_id = ${org} and ${subject}
    union
    select thread_id from ai_engine.runs where organization_id = ${org} and ${subject}`
  const list = textArray(threads.map(({ thread_id }) => thread_id))
  const runs = fragment`select run_id from ai_engine.runs
    where organization_id = ${org} and thread_id = any(${list})`
  const traces = fragment`select trace_id from ai_engine.runs
    where organization_id = ${org} and thread_id = any(${list})`
  const events = await sql`
    delete from ai_engine.events where run_id in (${runs}) returning seq`
  const spans = await sql`
    delete from ai_engine.spans where trace_id in (${traces}) returning span_id`
  const erased: Record<string, number> = { events: events.length, spans: spans.length }
  for (const table of threadTables) {
    const rows = await sql`
      delete from ${identifier(`ai_engine.${table}`)} where thread_id = any(${list})
      returning thread_id`
    erased[table] = rows.length
  }
  return erased
}
