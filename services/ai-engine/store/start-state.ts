import * as z from 'zod'
import { fragment } from '../../_kit/sql/sql.ts'
import { type Delta, patch } from './delta.ts'
import type { Lease } from './lease.ts'

/** Checkpoints from the last snapshot to the step before the new run; null for a new thread. */
export const History = z
  .array(z.object({ step: z.int(), delta: z.custom<Delta>(Array.isArray), snapshot: z.unknown() }))
  .nullable()

/** Column that reads the history of thread `t` in the statement that starts its run: one round trip less. */
export const historyColumn = fragment`
  (select json_agg(json_build_object('step', p.step, 'delta', p.delta, 'snapshot', p.snapshot)
      order by p.step)
    from ai_engine.checkpoints p
    where p.thread_id = t.thread_id and p.step < t.head and p.step >= (
      select max(s.step) from ai_engine.checkpoints s
      where s.thread_id = t.thread_id and s.step < t.head and s.snapshot is not null)) as history`

/**
 * Returns the state after the input of a new run. Undefined if the history is incomplete: a statement that
 * waited for the commit of another process does not see the checkpoint of that commit.
 */
export function stateAfter(
  { head }: Pick<Lease, 'head'>,
  history: z.infer<typeof History>,
  input: Delta,
  snapshot: string | null,
): unknown {
  if (head === 1) return snapshot === null ? undefined : JSON.parse(snapshot)
  const [first, ...later] = history ?? []
  if (!first?.snapshot || first.step + 1 + later.length !== head) return undefined
  const before = later.reduce((state, { delta }) => patch(state, delta), first.snapshot)
  // The input as it is stored: JSON has no undefined members.
  return patch(before, JSON.parse(JSON.stringify(input)))
}
