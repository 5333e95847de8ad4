import type { BranchResult, ParallelNode } from '../run/graph.ts'
import type { NewEvent } from '../run/replay-filter.ts'
import { applyResults, type SkillOutcome } from './apply-results.ts'
import { runNamedSkill } from './run-skill.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/**
 * Runs the dispatched skills, one branch each. They do not depend on each other: each sees the state
 * before the step and writes only its own part. Their tokens are not part of the reply.
 */
export const runSkills = (deps: WorkbenchDeps): ParallelNode<State, SkillOutcome> => ({
  branches: ({ round }) =>
    round.tasks.map(({ skill }) => ({
      name: skill,
      kind: 'skill',
      run: (state, context) => runNamedSkill(deps, state, context, skill, 'run_skill'),
    })),

  join(state, results) {
    const completed = results.flatMap((result) => ('value' in result ? result.value : []))
    const failure = results.flatMap((result) => ('failure' in result ? result.failure : []))[0]
    const outcome = applyResults(state, completed)
    const round = { ...outcome.state.round, error: failure ?? null }
    return {
      ...outcome,
      state: { ...outcome.state, round },
      events: state.round.tasks.map((task, index) => taskEnd(task, results[index]!)),
    }
  },
})

const taskEnd = (
  task: State['round']['tasks'][number],
  result: BranchResult<SkillOutcome>,
): NewEvent => [
  'task_end',
  {
    ...task,
    status: 'value' in result ? 'completed' : 'failed',
    duration_ms: result.durationMs,
  },
]
