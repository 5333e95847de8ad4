import type { Graph } from '../run/graph.ts'
import { loadContext } from './load-context.ts'
import { dispatch, router } from './router.ts'
import { chatRespond, runSkill } from './run-skill.ts'
import type { State } from './state.ts'
import { syncData } from './sync-data.ts'
import { askUser, failedOutcome, finish, receivedText } from './terminal-nodes.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/**
 * load_context → router → dispatch → run_skill → sync_data → router …, until the router selects
 * chat_respond, ask_user or finish. Products of a skill are synced before the run can end.
 */
export const workbench = (deps: WorkbenchDeps): Graph<State> => ({
  nodes: {
    load_context: loadContext(deps),
    run_skill: runSkill(deps),
    chat_respond: chatRespond(deps),
    sync_data: syncData(deps),
  },
  eager: new Set(['run_skill', 'chat_respond']),
  pure: { router, dispatch: dispatch(deps), ask_user: askUser, finish },
  onNodeFailure(state, node, error, emitted) {
    const { task } = state.round
    const reply = receivedText(state, emitted)
    const nextState = { ...state, round: { ...state.round, error, reply, task: null } }
    const producesWork = node === 'run_skill' || node === 'chat_respond'
    return {
      state: nextState,
      next: producesWork ? 'sync_data' : 'finish',
      events: task ? [['task_end', { ...task, status: 'failed', duration_ms: 0 }]] : [],
    }
  },
  onAbort: failedOutcome,
})
