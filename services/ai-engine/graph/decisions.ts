import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import { replayStates } from '../store/state.ts'
import { route } from './route.ts'
import type { State } from './state.ts'
import { upgradeState } from './upgrade-state.ts'

const RoutingTarget = z.object({ next: z.string().nullable(), skills: z.array(z.string()) })

export const DecisionView = z.object({
  step: z.int(),
  recorded: RoutingTarget,
  evaluated: RoutingTarget,
  same: z.boolean(),
})

const StepRange = z.object({ first: z.int().nullable(), last: z.int().nullable() })

/** Repeats each routing decision of a run on the recorded state. Pruned steps are left out. */
export async function loadDecisions(sql: Sql, thread_id: string, run_id: string) {
  const steps = await sql.row(StepRange)`
    select min(step) as first, max(step) as last from ai_engine.checkpoints
    where thread_id = ${thread_id} and run_id = ${run_id}`
  if (steps?.first == null || steps.last === null) return []
  const decisions: z.infer<typeof DecisionView>[] = []
  let before: State | undefined
  for await (const checkpoint of replayStates(sql, thread_id, steps.first, steps.last)) {
    const after = upgradeState(checkpoint.state)
    if (checkpoint.node === 'router' && checkpoint.run_id === run_id && before) {
      const recorded = {
        next: checkpoint.next,
        skills: after.round.tasks.map(({ skill }) => skill),
      }
      const { next, skills } = route(before)
      const same = next === recorded.next && skills.join() === recorded.skills.join()
      decisions.push({ step: checkpoint.step, recorded, evaluated: { next, skills }, same })
    }
    before = after
  }
  return decisions
}
