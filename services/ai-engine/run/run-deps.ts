import type { Log } from '../../_kit/log.ts'
import type { Metrics } from '../../_kit/metrics.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Limits } from './graph.ts'
import type { Hub } from './hub.ts'

/** Dependencies of the code that drives runs. */
export interface RunDeps {
  sql: Sql
  hub: Hub
  log: Log
  metrics: Metrics
  limits: Limits
}
