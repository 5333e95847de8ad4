import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Json } from '../_kit/fields.ts'
import { Card } from './card.ts'
import type { Deps } from './deps.ts'
import { followRun, ndjson } from './run/follow.ts'
import { startRun } from './run/runner.ts'
import type { StartedLease } from './store/start-run.ts'

/** A run that a request started or joins. */
export interface StartedRun {
  run_id: string
  /** Set if this process is to drive the run. */
  lease?: StartedLease
}

export const RunAnswer = z
  .object({
    thread_id: z.string(),
    run_id: Id,
    trace_id: Id,
    status: z.enum(['completed', 'interrupted', 'failed']),
    output: z.string(),
    card: Card.nullable(),
    result: Json,
    graph_version: z.string(),
    skill_version: z.string().nullable(),
  })
  .meta({ id: 'RunAnswer' })

/** Response: a stream of events, one JSON object per line. */
export const eventStream = {
  content: {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description:
          'Lines of {"event", "data"}; data.seq starts at 1. Events: token, progress, task_start, task_end, card, result, error, end; `end` is the last.',
      },
    },
  },
  headers: {
    'X-Run-Id': {
      required: true,
      description: 'Id of the run.',
      schema: { type: 'string' },
    },
  },
}

type RequestContext = Context<Env<Deps>>

/** Waits for the end of a run and returns its result. */
export async function awaitRun(c: RequestContext, { run_id, lease }: StartedRun) {
  const driving = lease && startRun(c.env, lease)
  const events = followRun(c.env, run_id, { isNew: lease !== undefined })
  while (!(await events.next()).done);
  await driving
  const answer = await c.env.sql.row(RunAnswer)`
    select thread_id, run_id, trace_id, status, output, card, result, graph_version, skill_version
    from ai_engine.runs
    where run_id = ${run_id}`
  if (!answer) throw notFound('such run')
  return answer
}

/** Streams the events of a run. */
export function streamRun(c: RequestContext, { run_id, lease }: StartedRun, after = 0): Response {
  const stream = ndjson((signal) =>
    followRun(c.env, run_id, { after, isNew: lease !== undefined, signal }),
  )
  if (lease) void startRun(c.env, lease)
  return c.body(stream, 200, {
    'Content-Type': 'application/x-ndjson',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Run-Id': run_id,
  })
}
