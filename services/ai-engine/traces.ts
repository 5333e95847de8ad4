import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Instant, JsonObject, Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, timestamp } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { DecisionView, loadDecisions } from './graph/decisions.ts'
import { service, visibleToService } from './scope.ts'
import { runFilter } from './timeline.ts'

const Trace = z
  .object({
    trace_id: Id,
    run_id: Id,
    thread_id: z.string(),
    session_id: z.string().nullable(),
    matter_id: z.string().nullable(),
    kind: z.enum(['execute', 'resume', 'replay']),
    graph_version: z.string(),
    skill_version: z.string().nullable(),
    status: z.enum(['running', 'completed', 'interrupted', 'failed']),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    started_at: Time,
    ended_at: Time.nullable(),
  })
  .meta({ id: 'Trace' })

const SpanView = z.object({
  span_id: Id,
  parent_id: Id.nullable(),
  step: z.int(),
  name: z.string(),
  kind: z.enum(['node', 'skill', 'model', 'tool', 'sync']),
  started_at: Time,
  duration_ms: z.number(),
  status: z.enum(['ok', 'error']),
  attributes: JsonObject,
  error: z.string().nullable(),
})

const Usage = z.object({
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_tokens: z.int(),
})

const TraceDetail = Trace.extend({
  spans: z.array(SpanView),
  usage: Usage,
  decisions: z
    .array(DecisionView)
    .describe('Routing decisions, each recorded and evaluated again on the recorded state.'),
}).meta({ id: 'TraceDetail' })

const IdFilter = z.string().min(1).max(200).optional()

export const traces = [
  get(
    '/api/v1/internal/ai/traces',
    {
      summary: 'List traces of runs, newest first',
      guard: service,
      query: PageQuery.extend({
        thread_id: IdFilter,
        matter_id: IdFilter,
        session_id: IdFilter,
        status: Trace.shape.status.optional(),
        from: Instant.optional(),
        to: Instant.optional(),
      }),
      responses: { 200: pageSchema(Trace) },
    },
    async (c, { query }) => {
      const { status, from, to } = query
      const conditions = join([
        runFilter(query),
        ...(status === undefined ? [] : [fragment` and status = ${status}`]),
        ...(from === undefined ? [] : [fragment` and started_at >= ${timestamp(from)}`]),
        ...(to === undefined ? [] : [fragment` and started_at <= ${timestamp(to)}`]),
      ])
      return ok(
        c,
        await selectPage(c.env.sql, Trace, query, {
          from: fragment`ai_engine.runs where ${visibleToService(c.var.caller)}${conditions}`,
          order: fragment`started_at desc, run_id desc`,
        }),
      )
    },
  ),

  get(
    '/api/v1/internal/ai/traces/:trace_id',
    {
      summary: 'Get a trace with its spans',
      guard: service,
      params: z.object({ trace_id: Id }),
      responses: { 200: TraceDetail },
    },
    async (c, { params: { trace_id } }) => {
      const { sql } = c.env
      const trace = await sql.row(Trace)`
        select * from ai_engine.runs where trace_id = ${trace_id} and ${visibleToService(c.var.caller)}`
      if (!trace) throw notFound('such trace')
      const [spans, usage, decisions] = await Promise.all([
        sql.rows(SpanView)`
          select * from ai_engine.spans where trace_id = ${trace_id} order by started_at, span_id`,
        sql.row(Usage)`
          select count(*) as calls, coalesce(sum(input_tokens), 0) as input_tokens,
            coalesce(sum(output_tokens), 0) as output_tokens,
            coalesce(sum(cached_tokens), 0) as cached_tokens
          from ai_engine.calls where run_id = ${trace.run_id} and kind = 'model'`,
        loadDecisions(sql, trace.thread_id, trace.run_id),
      ])
      return ok(c, { ...trace, spans, usage: usage!, decisions })
    },
  ),
]
