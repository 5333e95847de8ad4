import type { Host } from '../../_kit/context.ts'
import type { Log } from '../../_kit/log.ts'
import type { Metrics } from '../../_kit/metrics.ts'
import type { Client } from '../../_kit/peer.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { EngineModel } from '../model/open-model.ts'
import type { Skill } from '../skill.ts'
import type { Budgets } from '../store/budget.ts'

/** Dependencies of the workbench nodes. */
export interface WorkbenchDeps {
  sql: Sql
  runtime: Host['runtime']
  log: Log
  metrics: Metrics
  skills: Skill[]
  /** Null if no model is configured. */
  model: Pick<EngineModel, 'nameFor' | 'acceptsImages' | 'completeFor'> | null
  /** Null if no budget is configured. */
  budgets: Budgets | null
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
}
