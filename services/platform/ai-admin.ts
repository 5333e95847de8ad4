import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { aiAdmin, requireOwnMatter, requireOwnRun, requireOwnThread } from './ai-admin-access.ts'
import { enginePath, forwardedContext, postAs, queryString, requestEngine } from './ai-request.ts'
import { get, post } from './deps.ts'

const QueryText = z.string().max(2_000).optional()
const Paging = { page: QueryText, cursor: QueryText, size: QueryText, limit: QueryText }
const Subjects = { thread_id: QueryText, matter_id: QueryText, session_id: QueryText }
const ThreadId = z.string().min(1).max(200)

const path = '/api/v1/ai/admin'
const agent = `${enginePath}/agent`
const faults = ['NOT_FOUND', 'UPSTREAM_UNAVAILABLE'] as const
const rights = 'Lawyers see their own matters only, and must send `matter_id`.'

export const aiAdminProxy = [
  get(
    `${path}/traces`,
    {
      summary: 'List traces',
      description: rights,
      guard: aiAdmin,
      query: z.object({
        ...Subjects,
        ...Paging,
        status: QueryText,
        from: QueryText,
        to: QueryText,
      }),
      responses: { 200: JsonObject },
      faults,
    },
    async (c, { query }) => {
      await requireOwnMatter(c, query.matter_id)
      return ok(c, await requestEngine(c, JsonObject, `${enginePath}/traces${queryString(query)}`))
    },
  ),

  get(
    `${path}/traces/:trace_id`,
    {
      summary: 'Get a trace with its spans',
      guard: aiAdmin,
      params: z.object({ trace_id: z.uuid() }),
      responses: { 200: JsonObject },
      faults,
    },
    async (c, { params }) => {
      const Trace = JsonObject.and(z.object({ matter_id: z.string().nullable() }))
      const trace = await requestEngine(c, Trace, `${enginePath}/traces/${params.trace_id}`)
      await requireOwnMatter(c, trace.matter_id)
      return ok(c, trace)
    },
  ),

  get(
    `${path}/timeline`,
    {
      summary: 'List the rounds of a session, matter or thread',
      description: rights,
      guard: aiAdmin,
      query: z.object({ ...Subjects, ...Paging }),
      responses: { 200: JsonObject },
      faults,
    },
    async (c, { query }) => {
      await requireOwnMatter(c, query.matter_id)
      return ok(
        c,
        await requestEngine(c, JsonObject, `${enginePath}/timeline${queryString(query)}`),
      )
    },
  ),

  get(
    `${path}/runs/:run_id/stream`,
    {
      summary: 'Stream the events of a run',
      description: `NDJSON, from event \`after\` on. ${rights}`,
      guard: aiAdmin,
      params: z.object({ run_id: z.uuid() }),
      query: z.object({ after: QueryText, matter_id: QueryText }),
      responses: { 200: { content: { 'application/x-ndjson': { schema: { type: 'string' } } } } },
      faults,
    },
    async (c, { params: { run_id }, query: { after, matter_id } }) => {
      await requireOwnRun(c, run_id, matter_id)
      const source = `${agent}/runs/${run_id}/stream${queryString({ after })}`
      const { body } = await c.env.engine.stream(source, { from: forwardedContext(c) })
      return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson' } })
    },
  ),

  get(
    `${path}/checkpoints`,
    {
      summary: 'List the checkpoints of a thread',
      guard: aiAdmin,
      query: z.object({ thread_id: ThreadId, ...Paging }),
      responses: { 200: JsonObject },
      faults,
    },
    async (c, { query: { thread_id, ...paging } }) => {
      await requireOwnThread(c, thread_id)
      const source = `${agent}/threads/${encodeURIComponent(thread_id)}/checkpoints`
      return ok(c, await requestEngine(c, JsonObject, `${source}${queryString(paging)}`))
    },
  ),

  post(
    `${path}/replay`,
    {
      summary: 'Replay a thread from a checkpoint',
      guard: aiAdmin,
      body: z.object({
        thread_id: ThreadId,
        checkpoint_id: z.string().max(200),
        sync: z.boolean().optional(),
      }),
      responses: { 200: JsonObject },
      faults: [...faults, 'CONFLICT'],
    },
    async (c, { body }) => {
      await requireOwnThread(c, body.thread_id)
      return ok(c, await postAs(c, c.env.engine, JsonObject, `${agent}/replay`, body))
    },
  ),
]
