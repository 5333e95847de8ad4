import { enqueue } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Given } from '../../_kit/service.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { wholeGraph } from './whole.ts'

/** Has the graph hold what the database does, some time; in the caller's transaction. */
export async function enqueueSync({ graph }: Pick<Deps, 'graph'>, sql: Sql) {
  if (graph) await enqueue(sql, 'knowledge', { kind: 'graph', key: 'graph' })
}

export async function syncGraph({ sql, graph }: Given<Deps>) {
  await graph?.sync(await wholeGraph(sql))
}

/** The same at once, for whoever wants to know how it went; a failure is mended by a job. */
export async function syncNow(given: Given<Deps>): Promise<'synced' | 'skipped' | 'failed'> {
  if (!given.graph) return 'skipped'
  try {
    await syncGraph(given)
    return 'synced'
  } catch (thrown) {
    given.kit.metrics.count('graph_failures_total', {})
    given.kit.log.warn(errorFields(thrown), 'the graph was not synced')
    await enqueueSync(given, given.sql)
    return 'failed'
  }
}
