import * as z from 'zod'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { enqueue } from '../../_kit/jobs.ts'
import type { Sql } from '../../_kit/sql/sql.ts'

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
    insert into knowledge.runs (id, organization_id, kind, base, file_id)
    values (${id}, ${organization}, ${kind}, ${base ?? null}, ${fileId ?? null})`
  await enqueue(sql, 'knowledge', { kind, payload: { ...payload, jobId: id } })
  return { job_id: id, status: 'PENDING' as const }
}

/** Reports progress; false if the job has ended or was deleted. */
export async function reportProgress(sql: Sql, id: string, done: number, total: number) {
  const [row] = await sql`
    update knowledge.runs set status = 'RUNNING', done = ${done}, total = ${total},
      updated_at = now()
    where id = ${id} and status in ('PENDING', 'RUNNING') returning id`
  return row !== undefined
}

export const finishJob = (sql: Sql, id: string, error: string | null = null) => sql`
  update knowledge.runs set status = ${error === null ? 'SUCCEEDED' : 'FAILED'},
    error = ${error}, updated_at = now()
  where id = ${id} and status in ('PENDING', 'RUNNING')`

/** Marks jobs and files as FAILED when their job is DEAD. */
export async function failDeadJobs(sql: Sql) {
  const deadMessage = 'The job failed repeatedly and was abandoned.'
  await sql`
    update knowledge.runs run set status = 'FAILED', error = ${deadMessage}, updated_at = now()
    from knowledge.jobs job
    where job.status = 'DEAD' and job.kind in ('attach', 'reindex')
      and job.payload ->> 'jobId' = run.id::text and run.status in ('PENDING', 'RUNNING')`
  await sql`
    update knowledge.files file set status = 'FAILED', error = ${deadMessage}, updated_at = now()
    where status = 'PENDING' and not exists (
      select from knowledge.runs run where run.base = file.base and run.file_id = file.file_id
        and run.status in ('PENDING', 'RUNNING'))`
}
