import type { Graph } from '../run/graph.ts'
import { loadContext } from './load-context.ts'
import { dispatch, router } from './router.ts'
import { chatRespond } from './run-skill.ts'
import { runSkills } from './run-skills.ts'
import type { State } from './state.ts'
import { syncData, syncNothing } from './sync-data.ts'
import { askUser, failedOutcome, finish, receivedText } from './terminal-nodes.ts'
import { personLanguage, restartedText } from './texts.ts'
import { upgradeState } from './upgrade-state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/**
 * load_context → router → dispatch → run_skill → sync_data → router …, until the router selects
 * chat_respond, ask_user or finish. Products of a skill are synced before the run can end.
 */
export const workbench = (deps: WorkbenchDeps): Graph<State> => ({
  nodes: {
    load_context: loadContext(deps),
    chat_respond: chatRespond(deps),
    sync_data: syncData(deps),
  },
  parallel: { run_skill: runSkills(deps) },
  upgrade: upgradeState,
  idle: { sync_data: syncNothing },
  eager: new Set(['run_skill', 'chat_respond']),
  pure: { router, dispatch: dispatch(deps), ask_user: askUser, finish },
  onNodeFailure(state, node, error, emitted) {
    const reply = receivedText(state, emitted)
    return {
      state: { ...state, round: { ...state.round, error, reply } },
      next: node === 'chat_respond' ? 'sync_data' : 'finish',
    }
  },
  onAbort: failedOutcome,
  restartText: (state) => restartedText[personLanguage(state)],
})
