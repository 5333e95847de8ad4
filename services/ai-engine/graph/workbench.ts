import type { Client } from '../../_kit/peer.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Complete } from '../model/model.ts'
import type { Graph } from '../run/graph.ts'
import type { Skill } from '../skill.ts'
import { askUser, finish, stopped } from './ends.ts'
import { loadContext } from './load-context.ts'
import { dispatch, router } from './router.ts'
import { chatRespond, runSkill } from './run-skill.ts'
import type { State } from './state.ts'
import { syncData } from './sync-data.ts'

/** What the nodes of the workbench need. */
export interface Workbench {
  sql: Sql
  skills: Skill[]
  /** Null when no model is configured. */
  model: { name: string; complete: Complete } | null
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
}

/**
 * load_context → router → dispatch → run_skill → sync_data → router …, until the router says
 * chat_respond, ask_user or finish. Whatever a skill made is synced before the run can stop.
 */
export const workbench = (given: Workbench): Graph<State> => ({
  nodes: {
    load_context: loadContext(given),
    run_skill: runSkill(given),
    chat_respond: chatRespond(given),
    sync_data: syncData(given),
  },
  pure: { router, dispatch: dispatch(given), ask_user: askUser, finish },
  failed(state, node, error) {
    const { task } = state.round
    const after = { ...state, round: { ...state.round, error, task: null } }
    const makes = node === 'run_skill' || node === 'chat_respond'
    return {
      state: after,
      next: makes ? 'sync_data' : 'finish',
      events: task ? [['task_end', { ...task, status: 'failed', duration_ms: 0 }]] : [],
    }
  },
  stopped,
})
