import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { enqueue } from '../../_kit/jobs.ts'
import type { Sql, SqlFragment } from '../../_kit/sql/sql.ts'

export const Counts = z.object({
  found: z.int(),
  new: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  skipped: z.int().describe('Pages disallowed by robots.txt.'),
})
export type Counts = z.output<typeof Counts>

export const CollectionRun = z
  .object({
    id: Id,
    source_id: Id,
    organization_id: z.string(),
    trigger: z.enum(['manual', 'schedule']),
    status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED']),
    counts: Counts,
    created_at: Time,
    started_at: Time.nullable(),
    finished_at: Time.nullable(),
  })
  .meta({ id: 'CollectionRun' })

const LogEntry = z.object({ at: Time, level: z.enum(['info', 'warn']), message: z.string() })

export const RunWithLog = CollectionRun.extend({
  log: z.array(LogEntry).describe('The last 1,000 entries.'),
})

export async function loadRun(sql: Sql, id: string, condition: SqlFragment) {
  const run = await sql.row(CollectionRun)`
    select * from collector.runs where id = ${id} and ${condition}`
  if (!run) throw notFound(`run ${id}`)
  const log = await sql.rows(LogEntry)`
    select at, level, message from collector.run_log
    where run_id = ${id} order by seq desc limit 1000`
  return { ...run, log: log.reverse() }
}

export const collectJob = (run_id: string) => ({
  kind: 'collect',
  payload: { run_id },
  key: run_id,
  maxAttempts: 5,
})

/**
 * Creates a run and its job in the caller's transaction. Returns undefined if the source has an active run.
 */
export async function createRun(
  sql: Sql,
  source: { id: string; organization_id: string },
  trigger: 'manual' | 'schedule',
) {
  const run = await sql.row(CollectionRun)`
    insert into collector.runs (id, organization_id, source_id, trigger, status)
    values (${newId()}, ${source.organization_id}, ${source.id}, ${trigger}, 'PENDING')
    on conflict (source_id) where status in ('PENDING', 'RUNNING') do nothing returning *`
  if (run) await enqueue(sql, 'collector', collectJob(run.id))
  return run
}

export const runInProgress = () =>
  new Fault('CONFLICT', 'The source already has an active run. Wait for it or cancel it.', {
    code: 'RUN_IN_PROGRESS',
  })
