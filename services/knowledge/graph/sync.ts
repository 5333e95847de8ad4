import type { ServiceContext } from '../../_kit/context.ts'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { isOnlyRunning } from '../jobs/only-running.ts'
import { loadDesiredGraph } from './desired-graph.ts'

const retryMs = 2_000

/** Enqueues a sync of the graph with the database, in the caller's transaction. */
export async function enqueueSync({ graph }: Pick<Deps, 'graph'>, sql: Sql, delayMs = 0) {
  if (graph) await enqueue(sql, 'knowledge', { kind: 'graph', key: 'graph', delayMs })
}

/** Syncs once an hour without a cause, since the graph may have lost data. */
export async function enqueueHourlySync({ sql, graph }: ServiceContext<Deps>) {
  const recent = await sql`
    select from knowledge.jobs where kind = 'graph'
      and coalesce(finished_at, now()) > now() - interval '1 hour' limit 1`
  if (recent.length === 0) await enqueueSync({ graph }, sql)
}

/** Concurrent syncs may undo each other, so each repeats until it finds no difference. */
async function sync({ sql, graph }: Pick<ServiceContext<Deps>, 'sql' | 'graph'>) {
  for (let round = 0; round < 10; round++) {
    if (!graph || (await graph.sync(await loadDesiredGraph(sql))) === 0) return
  }
  throw new Error('graph differs after 10 syncs')
}

/** Job that re-enqueues itself for as long as the graph is unavailable. */
export async function syncGraph(context: ServiceContext<Deps>, _: unknown, job: JobContext) {
  try {
    if (await isOnlyRunning(context.sql, 'graph', job)) await sync(context)
    else await enqueueSync(context, context.sql, retryMs)
  } catch (thrown) {
    logFailure(context, thrown)
    await enqueueSync(context, context.sql, retryMs)
  }
}

function logFailure({ kit }: ServiceContext<Deps>, thrown: unknown) {
  kit.metrics.count('graph_failures_total', {})
  kit.log.warn(errorFields(thrown), 'graph sync failed, retrying')
}

/** Syncs at once and returns the outcome; a failure is retried by the job. */
export async function syncNow(
  context: ServiceContext<Deps>,
): Promise<'synced' | 'skipped' | 'failed'> {
  if (!context.graph) return 'skipped'
  try {
    await sync(context)
    return 'synced'
  } catch (thrown) {
    logFailure(context, thrown)
    await enqueueSync(context, context.sql)
    return 'failed'
  }
}
