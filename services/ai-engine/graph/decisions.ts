import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import { statesOf } from '../store/state.ts'
import { route } from './route.ts'
import type { State } from './state.ts'

const Decided = z.object({ next: z.string().nullable(), skill: z.string().nullable() })

export const DecisionShown = z.object({
  step: z.int(),
  recorded: Decided,
  evaluated: Decided,
  same: z.boolean(),
})

const Steps = z.object({ first: z.int().nullable(), last: z.int().nullable() })

/** Takes every decision of a run again, on the states that were recorded. Thinned steps are left out. */
export async function decisionsOf(sql: Sql, thread_id: string, run_id: string) {
  const steps = await sql.row(Steps)`
    select min(step) as first, max(step) as last from ai_engine.checkpoints
    where thread_id = ${thread_id} and run_id = ${run_id}`
  if (steps?.first == null || steps.last === null) return []
  const decisions: z.infer<typeof DecisionShown>[] = []
  let before: State | undefined
  for await (const piece of statesOf(sql, thread_id, steps.first, steps.last)) {
    const after = piece.state as State
    if (piece.node === 'router' && piece.run_id === run_id && before) {
      const recorded = { next: piece.next, skill: after.round.task?.skill ?? null }
      const { next, skill } = route(before)
      const same = next === recorded.next && skill === recorded.skill
      decisions.push({ step: piece.step, recorded, evaluated: { next, skill }, same })
    }
    before = after
  }
  return decisions
}
