import * as z from 'zod'
import { insertJobEvent } from '../../_kit/event-outbox.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'

const Status = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'])

/** A job as the API shows it. The kit's job does the work. */
export const KnowledgeJob = z
  .object({
    id: Id,
    kind: z.enum(['attach', 'reindex']),
    kb_id: z.string().nullable(),
    file_id: z.string().nullable(),
    status: Status,
    progress: z.object({ done: z.int(), total: z.int().nullable() }),
    error: z.string().nullable(),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'KnowledgeJob' })

export const StartedJob = z.object({ job_id: Id, status: Status })

interface NewJob {
  kind: 'attach' | 'reindex'
  organization: string | null
  base?: number
  fileId?: string
  /** Payload besides the job id. */
  payload: object
}

/** Starts a job in the caller's transaction. */
export async function startJob(sql: Sql, { kind, organization, base, fileId, payload }: NewJob) {
  const id = newId()
  await sql`
    with changed as (
      insert into knowledge.runs (id, organization_id, kind, base, file_id)
      values (${id}, ${organization}, ${kind}, ${base ?? null}, ${fileId ?? null})
      returning id, organization_id, kind, status, null as previous_status)
    ${insertJobEvent('knowledge')}`
  await enqueue(sql, 'knowledge', { kind, payload: { ...payload, jobId: id } })
  return { job_id: id, status: 'PENDING' as const }
}

const ChangedRun = z.object({ id: Id })

/** Changes a job that has not ended and publishes its status. Returns false if it has ended or was deleted. */
async function changeRun(sql: Sql, id: string, changes: SqlFragment): Promise<boolean> {
  const changed = await sql.row(ChangedRun)`
    with before as (
      select id, status from knowledge.runs
      where id = ${id} and status in ('PENDING', 'RUNNING') for update),
    changed as (
      update knowledge.runs run set ${changes}, updated_at = now() from before
      where run.id = before.id
      returning run.id, organization_id, kind, run.status, before.status as previous_status),
    event as (${insertJobEvent('knowledge')})
    select id from changed`
  return changed !== undefined
}

export const reportProgress = (sql: Sql, id: string, done: number, total: number) =>
  changeRun(sql, id, fragment`status = 'RUNNING', done = ${done}, total = ${total}`)

export const finishJob = (sql: Sql, id: string, error: string | null = null) =>
  changeRun(
    sql,
    id,
    fragment`status = ${error === null ? 'SUCCEEDED' : 'FAILED'}, error = ${error}`,
  )

/** Marks jobs and files as FAILED when their job is DEAD. */
export async function failDeadJobs(sql: Sql) {
  const deadMessage = 'The job failed repeatedly and was abandoned.'
  const dead = await sql.rows(ChangedRun)`
    select run.id from knowledge.runs run
    join knowledge.jobs job on job.payload ->> 'jobId' = run.id::text
    where job.status = 'DEAD' and job.kind in ('attach', 'reindex')
      and run.status in ('PENDING', 'RUNNING')`
  for (const { id } of dead) await finishJob(sql, id, deadMessage)
  await sql`
    update knowledge.files file set status = 'FAILED', error = ${deadMessage}, updated_at = now()
    where status = 'PENDING' and not exists (
      select from knowledge.runs run where run.base = file.base and run.file_id = file.file_id
        and run.status in ('PENDING', 'RUNNING'))`
}
