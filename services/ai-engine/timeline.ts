import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { Id, Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join } from '../_kit/sql/sql.ts'
import { Card } from './card.ts'
import { get } from './deps.ts'
import { service, visibleToService } from './scope.ts'

const RoundView = z
  .object({
    round: z.int(),
    thread_id: z.string(),
    run_id: Id,
    trace_id: Id,
    started_at: Time,
    ended_at: Time.nullable(),
    status: z.enum(['running', 'completed', 'interrupted', 'failed']),
    user_message: z.string(),
    output: z.string(),
    skills: z.array(z.string()),
    card: Card.nullable(),
    graph_version: z.string(),
    skill_version: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    sync_errors: z
      .array(z.object({ sync_key: z.string(), error: z.string(), refused_at: z.string() }))
      .describe('Syncs of this round that matter-service refused and that were not sent again.'),
  })
  .meta({ id: 'Round' })

const IdFilter = z.string().min(1).max(200).optional()

/** Builds the conditions of a filter. A branch is listed only under its own thread id. */
export function runFilter(filter: {
  thread_id?: string | undefined
  matter_id?: string | undefined
  session_id?: string | undefined
}) {
  const { thread_id, matter_id, session_id } = filter
  return join([
    ...(thread_id === undefined
      ? [fragment` and thread_id not like 'branch:%'`]
      : [fragment` and thread_id = ${thread_id}`]),
    ...(matter_id === undefined ? [] : [fragment` and matter_id = ${matter_id}`]),
    ...(session_id === undefined ? [] : [fragment` and session_id = ${session_id}`]),
  ])
}

export const timeline = [
  get(
    '/api/v1/internal/ai/timeline',
    {
      summary: 'List rounds, newest first',
      description: 'At least one of session_id, matter_id and thread_id is required.',
      guard: service,
      query: PageQuery.extend({ session_id: IdFilter, matter_id: IdFilter, thread_id: IdFilter }),
      responses: { 200: pageSchema(RoundView) },
    },
    async (c, { query }) => {
      const { session_id, matter_id, thread_id } = query
      if (session_id === undefined && matter_id === undefined && thread_id === undefined)
        throw invalid([
          { path: 'session_id', message: 'session_id, matter_id or thread_id is required.' },
        ])
      const from = fragment`ai_engine.runs where ${visibleToService(c.var.caller)}${runFilter(query)}`
      const order = fragment`started_at desc, run_id desc`
      const columns = fragment`*, (
        select coalesce(jsonb_agg(jsonb_build_object('sync_key', o.sync_key, 'error', o.error,
          'refused_at', o.refused_at) order by o.step), '[]')
        from ai_engine.outbox o
        where o.status = 'REFUSED' and o.matter_id = runs.matter_id
          and o.sync_key like runs.run_id || ':%') as sync_errors`
      return ok(c, await selectPage(c.env.sql, RoundView, query, { from, order, columns }))
    },
  ),
]
