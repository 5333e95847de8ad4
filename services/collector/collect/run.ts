import * as z from 'zod'
import { insertJobEvent } from '../../_kit/event-outbox.ts'
import { Fault, notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'

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
    with changed as (
      insert into collector.runs (id, organization_id, source_id, trigger, status)
      values (${newId()}, ${source.organization_id}, ${source.id}, ${trigger}, 'PENDING')
      on conflict (source_id) where status in ('PENDING', 'RUNNING') do nothing
      returning *, 'collect' as kind, null as previous_status),
    event as (${insertJobEvent('collector')})
    select * from changed`
  if (run) await enqueue(sql, 'collector', collectJob(run.id))
  return run
}

/**
 * Builds an update of a run that has not ended, which publishes a new status. The expression `changed` has
 * the columns of the run.
 */
export const changeRun = (changes: SqlFragment, condition: SqlFragment) => fragment`
  before as (
    select id, status from collector.runs
    where ${condition} and status in ('PENDING', 'RUNNING') for update),
  changed as (
    update collector.runs run set ${changes} from before where run.id = before.id
    returning run.*, 'collect' as kind, before.status as previous_status),
  event as (${insertJobEvent('collector')})`

export const runInProgress = () =>
  new Fault('CONFLICT', 'The source already has an active run. Wait for it or cancel it.', {
    code: 'RUN_IN_PROGRESS',
  })
