import * as z from 'zod'
import { notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { type Delta, patch } from './delta.ts'

const Checkpoint = z.object({
  step: z.int(),
  checkpoint_id: Id,
  run_id: Id,
  node: z.string(),
  next: z.string().nullable(),
  delta: z.custom<Delta>(Array.isArray),
  snapshot: z.unknown(),
  created_at: Time,
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** Yields checkpoints with their state, from the last snapshot at or before `from` up to `to`. */
export async function* replayStates(sql: Sql, thread_id: string, from: number, to: number) {
  const checkpoints = await sql.rows(Checkpoint)`
    select step, checkpoint_id, run_id, node, next, delta, snapshot, created_at
    from ai_engine.checkpoints
    where thread_id = ${thread_id} and step <= ${to} and step >= (
      select max(step) from ai_engine.checkpoints
      where thread_id = ${thread_id} and step <= ${from} and snapshot is not null)
    order by step`
  let state: unknown
  for (const checkpoint of checkpoints) {
    state = checkpoint.snapshot ?? patch(state, checkpoint.delta)
    yield { ...checkpoint, state }
  }
}

/** Loads the state after a step. */
export async function loadState(sql: Sql, thread_id: string, step: number): Promise<unknown> {
  let last: { step: number; state: unknown } | undefined
  for await (const checkpoint of replayStates(sql, thread_id, step, step)) last = checkpoint
  if (last?.step !== step) throw notFound('such checkpoint any more')
  return last.state
}
