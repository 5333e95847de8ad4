import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, JsonObject, Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { requestOrigin, ThreadId } from './agent.ts'
import { Card } from './card.ts'
import { get, post } from './deps.ts'
import { awaitRun, eventStream, RunAnswer, streamRun } from './respond.ts'
import { toCancellation } from './run/failure.ts'
import { service, visibleToService } from './scope.ts'
import { branch } from './store/branch.ts'
import { cancel } from './store/cancel.ts'
import { loadState } from './store/state.ts'

const Checkpoint = z
  .object({
    checkpoint_id: Id,
    step: z.int(),
    node: z.string(),
    graph_version: z
      .string()
      .nullable()
      .describe('Null if the run was deleted after its retention period.'),
    skill_version: z.string().nullable(),
    created_at: Time,
  })
  .meta({ id: 'Checkpoint' })

const ThreadState = z.object({
  thread_id: z.string(),
  status: z.enum(['idle', 'running', 'interrupted']),
  branch_of: z.string().nullable(),
  checkpoint_id: Id,
  step: z.int(),
  next: z.string().nullable(),
  card: Card.nullable(),
  state: JsonObject,
})

const ById = z.object({ id: z.string().max(200) })
const base = '/api/v1/internal/ai/agent'

export const threads = [
  get(
    `${base}/threads/:id/state`,
    {
      summary: 'Get the state of a thread',
      guard: service,
      params: ById,
      responses: { 200: ThreadState },
    },
    async (c, { params }) => {
      const { sql } = c.env
      const thread = await sql.row(ThreadState.omit({ state: true }))`
        select t.thread_id, t.status, t.branch_of, p.checkpoint_id, p.step, p.next,
          (select card from ai_engine.cards c where c.card_id = t.card_id) as card
        from ai_engine.threads t
        join ai_engine.checkpoints p on p.thread_id = t.thread_id and p.step = t.head
        where t.thread_id = ${params.id} and ${visibleToService(c.var.caller)}`
      if (!thread) throw notFound('such thread')
      return ok(c, { ...thread, state: await loadState(sql, thread.thread_id, thread.step) })
    },
  ),

  get(
    `${base}/threads/:id/checkpoints`,
    {
      summary: 'List the checkpoints of a thread, newest first',
      guard: service,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(Checkpoint) },
    },
    async (c, { params, query }) => {
      const { sql } = c.env
      const [existing] = await sql`
        select from ai_engine.threads where thread_id = ${params.id} and ${visibleToService(c.var.caller)}`
      if (!existing) throw notFound('such thread')
      const from = fragment`ai_engine.checkpoints where thread_id = ${params.id}`
      const columns = fragment`checkpoint_id, step, node, skill_version, created_at, (
        select graph_version from ai_engine.runs r where r.run_id = checkpoints.run_id)`
      return ok(
        c,
        await selectPage(sql, Checkpoint, query, { from, order: fragment`step desc`, columns }),
      )
    },
  ),

  post(
    `${base}/replay`,
    {
      summary: 'Replay a thread from a checkpoint on a new branch',
      description:
        'The original thread is unchanged. Recorded answers of models and tools are used instead of new calls. From a checkpoint with a card, the branch waits on a copy of the card.',
      guard: service,
      body: z.object({
        thread_id: ThreadId,
        checkpoint_id: z.string().max(200),
        sync: z
          .boolean()
          .default(false)
          .describe('Sync the results of the branch to the matter. Default: false.'),
      }),
      responses: { 200: RunAnswer },
      faults: ['NOT_FOUND', 'CONFLICT'],
    },
    async (c, { body }) => {
      const started = await branch(c.env.sql, {
        ...body,
        organization: c.var.caller.organizationId,
        origin: requestOrigin(c),
      })
      return ok(c, await awaitRun(c, started))
    },
  ),

  post(
    `${base}/cancel`,
    {
      summary: 'Cancel the run of a thread, or withdraw its cards',
      description:
        'A cancelled run ends as failed; the text that it has emitted is kept as its output. `cancelled` is false if nothing was cancelled. A pending card is withdrawn unless the reason is `stopped`.',
      guard: service,
      body: z.object({
        thread_id: ThreadId,
        reason: z
          .enum(['cancelled', 'stopped'])
          .default('cancelled')
          .describe('Error code of the run: `CANCELLED` or `STOPPED`.'),
        run_id: Id.optional().describe(
          'Run to cancel. Default: the run of the thread, whichever it is.',
        ),
      }),
      responses: {
        200: z.object({ thread_id: z.string(), run_id: Id.nullable(), cancelled: z.boolean() }),
      },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => {
      const code = body.reason === 'stopped' ? 'STOPPED' : 'CANCELLED'
      const { organizationId } = c.var.caller
      const result = await cancel(c.env.sql, body.thread_id, organizationId, code, body.run_id)
      if (result.run_id && result.cancelled)
        c.env.activeRuns.get(result.run_id)?.abort(toCancellation(code))
      return ok(c, result)
    },
  ),

  get(
    `${base}/runs/:id/stream`,
    {
      summary: 'Stream the events of a run after `after` until its end',
      guard: service,
      params: z.object({ id: Id }),
      query: z.object({ after: z.coerce.number().int().min(0).max(2_000_000_000).default(0) }),
      responses: { 200: eventStream },
    },
    async (c, { params, query }) => {
      const [existing] = await c.env.sql`
        select from ai_engine.runs where run_id = ${params.id} and ${visibleToService(c.var.caller)}`
      if (!existing) throw notFound('such run')
      return streamRun(c, { run_id: params.id }, query.after)
    },
  ),
]
