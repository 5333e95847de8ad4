import type { Log } from '../../_kit/log.ts'
import type { Metrics } from '../../_kit/metrics.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { CommitStep } from '../store/commit-group.ts'
import type { Limits } from './graph.ts'
import type { Hub } from './hub.ts'

/** Dependencies of the code that drives runs. */
export interface RunDeps {
  sql: Sql
  /** Commits a step, if several arrive at a time together. */
  commit: CommitStep
  hub: Hub
  log: Log
  metrics: Metrics
  limits: Limits
}
