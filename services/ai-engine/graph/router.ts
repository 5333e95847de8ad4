import { newId } from '../../_kit/ids.ts'
import type { PureNode } from '../run/graph.ts'
import { route } from './route.ts'
import type { State } from './state.ts'
import { personLanguage } from './texts.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Applies the routing decision to the state. */
export const router: PureNode<State> = async (state, { attributes }) => {
  const { next, skills, goal } = route(state)
  Object.assign(attributes, { next, skills, goal })
  const tasks = skills.map((skill) => ({ task_id: newId(), skill }))
  return { state: { ...state, round: { ...state.round, tasks } }, next }
}

export const dispatch =
  ({ skills }: WorkbenchDeps): PureNode<State> =>
  async (state) => {
    const titleOf = (name: string) => {
      const skill = skills.find((each) => each.name === name)
      return (personLanguage(state) === 'zh' && skill?.title_zh) || (skill?.title ?? name)
    }
    return {
      state,
      next: 'run_skill',
      events: state.round.tasks.map((task) => [
        'task_start',
        { ...task, title: titleOf(task.skill) },
      ]),
    }
  }
