import { newId } from '../../_kit/ids.ts'
import type { PureNode } from '../run/graph.ts'
import { route } from './route.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Applies the routing decision to the state. */
export const router: PureNode<State> = async (state, { attributes }) => {
  const { next, skill, goal } = route(state)
  Object.assign(attributes, { next, skill, goal })
  const task = skill === null ? null : { task_id: newId(), skill }
  return { state: { ...state, round: { ...state.round, task } }, next }
}

export const dispatch =
  ({ skills }: WorkbenchDeps): PureNode<State> =>
  async (state) => {
    const task = state.round.task!
    const title = skills.find(({ name }) => name === task.skill)?.title ?? task.skill
    return { state, next: 'run_skill', events: [['task_start', { ...task, title }]] }
  }
