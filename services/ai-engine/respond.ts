import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Json } from '../_kit/fields.ts'
import { Card } from './card.ts'
import type { Deps } from './deps.ts'
import { followRun, ndjson } from './run/follow.ts'
import { driveRun } from './run/runner.ts'
import type { Lease } from './store/lease.ts'

/** A run that a request began, or joins. */
export interface StartedRun {
  run_id: string
  /** There when this process is to drive it. */
  lease?: Lease
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
  })
  .meta({ id: 'RunAnswer' })

/** A stream of events, one JSON object a line. */
export const eventStream = {
  content: {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description:
          'Lines of {"event", "data"}; data.seq rises from 1. Events: token, progress, task_start, task_end, card, result, error, end; `end` is the last.',
      },
    },
  },
  headers: {
    'X-Run-Id': {
      required: true,
      description: 'The run that these are of.',
      schema: { type: 'string' },
    },
  },
}

type RequestContext = Context<Env<Deps>>

/** Waits for a run to end and tells how. */
export async function awaitRun(c: RequestContext, { run_id, lease }: StartedRun) {
  const driving = lease && driveRun(c.env, lease)
  const events = followRun(c.env, run_id)
  while (!(await events.next()).done);
  await driving
  const answer = await c.env.sql.row(RunAnswer)`
    select thread_id, run_id, trace_id, status, output, card, result from ai_engine.runs
    where run_id = ${run_id}`
  if (!answer) throw notFound('such run')
  return answer
}

/** Sends a run's events as they come. */
export function streamRun(c: RequestContext, { run_id, lease }: StartedRun, after = 0): Response {
  const stream = ndjson(followRun(c.env, run_id, after))
  if (lease) void driveRun(c.env, lease)
  return c.body(stream, 200, {
    'Content-Type': 'application/x-ndjson',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Run-Id': run_id,
  })
}
