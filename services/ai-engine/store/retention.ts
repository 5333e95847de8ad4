import * as z from 'zod'
import { Id } from '../../_kit/fields.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'

/** Days after which data of finished runs is deleted. */
export interface RetentionDays {
  events: number
  spans: number
  calls: number
  runs: number
}

/** Runs that one statement prunes, and statements that one job executes at most. */
const batchSize = 100
const maxBatches = 200

const PrunedRun = z.object({ run_id: Id })

/**
 * Deletes data of finished runs after its retention period, in batches. Threads that run or wait on a card
 * keep all data. Returns true if there is more to delete.
 */
export async function pruneRuns(
  sql: Sql,
  days: RetentionDays,
  signal: AbortSignal,
): Promise<boolean> {
  const statements = [
    () => pruneEvents(sql, days.events),
    () => pruneSpans(sql, days.spans),
    () => pruneCalls(sql, days.calls),
    () => deleteRuns(sql, days.runs),
  ]
  let batches = 0
  for (const prune of statements) {
    while ((await prune()).length === batchSize) {
      if (++batches >= maxBatches || signal.aborted) return true
    }
  }
  await sql`
    delete from ai_engine.notices where created_at < now() - ${days.events} * interval '1 day'`
  return false
}

/** Runs of idle threads that ended before the retention period, oldest first. */
const oldRuns = (days: number, which: SqlFragment): SqlFragment => fragment`
  select r.run_id, r.trace_id, r.thread_id from ai_engine.runs r
  join ai_engine.threads t on t.thread_id = r.thread_id and t.status = 'idle'
  where r.ended_at < now() - ${days} * interval '1 day' ${which}
  order by r.ended_at limit ${batchSize} for update of r skip locked`

/** The last event, `end`, stays until the run is deleted, so that its stream still ends. */
const pruneEvents = (sql: Sql, days: number) => sql.rows(PrunedRun)`
  with old as (${oldRuns(days, fragment`and not r.events_pruned`)}),
  deleted as (
    delete from ai_engine.events e using old
    where e.run_id = old.run_id
      and e.seq < (select max(seq) from ai_engine.events last where last.run_id = old.run_id))
  update ai_engine.runs r set events_pruned = true from old where r.run_id = old.run_id
  returning r.run_id`

const pruneSpans = (sql: Sql, days: number) => sql.rows(PrunedRun)`
  with old as (${oldRuns(days, fragment`and not r.spans_pruned`)}),
  deleted as (delete from ai_engine.spans s using old where s.trace_id = old.trace_id)
  update ai_engine.runs r set spans_pruned = true from old where r.run_id = old.run_id
  returning r.run_id`

const pruneCalls = (sql: Sql, days: number) => sql.rows(PrunedRun)`
  with old as (${oldRuns(days, fragment`and not r.calls_pruned`)}),
  deleted as (delete from ai_engine.calls c using old where c.run_id = old.run_id)
  update ai_engine.runs r set calls_pruned = true from old where r.run_id = old.run_id
  returning r.run_id`

/** Deletes runs with all their parts. Checkpoints stay: the next turn of the thread needs its state. */
const deleteRuns = (sql: Sql, days: number) => sql.rows(PrunedRun)`
  with old as (${oldRuns(days, fragment``)}),
  events as (delete from ai_engine.events e using old where e.run_id = old.run_id),
  spans as (delete from ai_engine.spans s using old where s.trace_id = old.trace_id),
  calls as (delete from ai_engine.calls c using old where c.run_id = old.run_id),
  cards as (delete from ai_engine.cards c using old where c.run_id = old.run_id)
  delete from ai_engine.runs r using old where r.run_id = old.run_id returning r.run_id`
