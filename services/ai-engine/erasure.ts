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
        'Erases threads with their runs, events, traces, cards and recorded calls. A run in progress loses its lease and stops. Runs of the person in threads of others stay, without the person.',
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

/**
 * Erases the threads of a person or a matter. A thread belongs to the client of its matter; in threads of others the
 * runs of the person stay, without the person.
 */
export async function erase(sql: Sql, org: string, body: ErasureRequest) {
  const matters = fragment`t.matter_id = any(${textArray(requestedMatterIds(body))})`
  const { user_id = null } = body
  // Locked first: a running step could otherwise commit events after they were deleted.
  const threads = await sql.rows(ThreadId)`
    select t.thread_id from ai_engine.threads t
    where t.organization_id = ${org} and (${matters} or coalesce(t.client_id, t.user_id) = ${user_id}::text
      or exists (select from ai_engine.runs r where r.thread_id = t.thread_id
        and (r.matter_id = any(${textArray(requestedMatterIds(body))})
          or t.client_id is null and r.user_id = ${user_id}::text)))
    order by t.thread_id for update`
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
  return { ...erased, anonymized_runs: await anonymize(sql, org, user_id) }
}

/** Removes a person from threads of others and returns the number of runs. */
async function anonymize(sql: Sql, org: string, user_id: string | null): Promise<number> {
  if (user_id === null) return 0
  const own = fragment`organization_id = ${org} and user_id = ${user_id}`
  const runs = await sql`update ai_engine.runs set user_id = null where ${own} returning run_id`
  await sql`update ai_engine.calls set user_id = null where ${own}`
  await sql`update ai_engine.threads set user_id = null, user_type = null where ${own}`
  await sql`
    update ai_engine.cards c set answered_by = null from ai_engine.threads t
    where t.thread_id = c.thread_id and t.organization_id = ${org} and c.answered_by = ${user_id}`
  return runs.length
}
