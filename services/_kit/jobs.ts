import * as z from 'zod'
import { newId } from './ids.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { identifier, json, numberArray, type Sql, textArray } from './sql/sql.ts'

/**
 * Handles a durable job: a row of `<schema>.jobs`, claimed with `skip locked` under a lease. After a
 * crash another process claims the job again, so handlers must be idempotent.
 */
export type JobHandler<Deps> = (deps: Deps, payload: any, job: JobContext) => Promise<unknown>

export interface JobContext {
  id: string
  attempt: number
  /** Aborted when another process took over the lease, or at shutdown; the handler must stop. */
  signal: AbortSignal
}

export interface NewJob {
  kind: string
  payload?: unknown
  /** Deduplication key: while a job of this kind and key is PENDING, enqueueing it again adds nothing. */
  key?: string
  delayMs?: number
  maxAttempts?: number
}

/**
 * Adds a job in the caller's transaction and returns true if it is new. A duplicate PENDING job stays
 * row-locked until the transaction ends, so that it cannot run before the caller's writes are visible.
 */
export async function enqueue(sql: Sql, schema: string, job: NewJob): Promise<boolean> {
  const row = await sql.row(EnqueueResult)`
    insert into ${identifier(`${schema}.jobs`)} (id, kind, payload, dedupe_key, run_at, max_attempts)
    values (${newId()}, ${job.kind}, ${json(job.payload ?? {})}, ${job.key ?? null},
      now() + ${job.delayMs ?? 0} * interval '1 millisecond', ${job.maxAttempts ?? 8})
    on conflict (kind, dedupe_key) where status = 'PENDING'
      do update set dedupe_key = excluded.dedupe_key
    returning xmax = 0 as fresh`
  return row!.fresh
}

const EnqueueResult = z.object({ fresh: z.boolean() })

const ClaimedJob = z.object({
  id: z.string(),
  kind: z.string(),
  payload: z.unknown(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedJob = z.infer<typeof ClaimedJob>

export interface Worker<Deps> {
  sql: Sql
  schema: string
  deps: Deps
  handlers: Record<string, JobHandler<Deps>>
  log: Log
  metrics: Metrics
  leaseMs?: number
}

/** Claims up to `limit` due jobs, runs them concurrently and returns their number. */
export async function runJobs<Deps>(worker: Worker<Deps>, limit = 4): Promise<number> {
  const kinds = Object.keys(worker.handlers)
  const jobs = await claim(worker, new Map(kinds.map((kind) => [kind, limit])), limit)
  const never = new AbortController()
  await Promise.all(jobs.map((job) => run(worker, job, never.signal)))
  return jobs.length
}

/** Claims due jobs, oldest first: at most `free` of each kind and `limit` in total. */
export async function claim<Deps>(
  { sql, schema, leaseMs = 30_000 }: Worker<Deps>,
  free: ReadonlyMap<string, number>,
  limit: number,
) {
  const table = identifier(`${schema}.jobs`)
  return sql.rows(ClaimedJob)`
    with due as materialized (
      select job.id
      from unnest(${textArray([...free.keys()])}, ${numberArray([...free.values()], 'int4')})
        as slot (kind, free)
      cross join lateral (
        select id from ${table}
        where kind = slot.kind
          and (status = 'PENDING' and run_at <= now() or status = 'RUNNING' and lease_until <= now())
        order by run_at for update skip locked limit slot.free) job
      limit ${limit})
    update ${table} job set status = 'RUNNING', attempts = attempts + 1, started_at = now(),
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    from due where job.id = due.id
    returning job.id, kind, payload, attempts, max_attempts`
}

/** Runs a claimed job. When `stop` aborts, the job is released for another process. */
export async function run<Deps>(
  worker: Worker<Deps>,
  job: ClaimedJob,
  stop: AbortSignal,
): Promise<void> {
  const { deps, handlers, metrics, log } = worker
  const lost = new AbortController()
  const heartbeat = setInterval(
    () =>
      renew(worker, job)
        .then((renewed) => renewed || lost.abort(new Error('lease lost')))
        .catch((thrown) =>
          log.warn({ job: job.id, ...errorFields(thrown) }, 'lease renewal failed'),
        ),
    (worker.leaseMs ?? 30_000) / 3,
  )
  const started = performance.now()
  let outcome = 'done'
  try {
    if (job.attempts > job.max_attempts) throw new Error('the process ended during every attempt')
    const signal = AbortSignal.any([lost.signal, stop])
    const context = { id: job.id, attempt: job.attempts, signal }
    await handlers[job.kind]!(deps, job.payload, context)
    await finish(worker, job)
  } catch (thrown) {
    if (stop.aborted) {
      outcome = 'released'
      await release(worker, job)
    } else outcome = (await retryOrMarkDead(worker, job, thrown)) ? 'retry' : 'dead'
    log.warn({ job: job.id, kind: job.kind, outcome, ...errorFields(thrown) }, 'job failed')
  } finally {
    clearInterval(heartbeat)
    metrics.count('jobs_total', { kind: job.kind, outcome })
    metrics.time('job_seconds', { kind: job.kind }, performance.now() - started)
  }
}

/** Extends the lease. The attempt number is the fencing token: a later claim has a higher one. */
async function renew<Deps>({ sql, schema, leaseMs = 30_000 }: Worker<Deps>, job: ClaimedJob) {
  const renewed = await sql`
    update ${identifier(`${schema}.jobs`)}
    set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING' returning id`
  return renewed.length > 0
}

const finish = <Deps>({ sql, schema }: Worker<Deps>, job: ClaimedJob) => sql`
  update ${identifier(`${schema}.jobs`)}
  set status = 'DONE', finished_at = now(), lease_until = null, last_error = null
  where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING'`

/**
 * Makes the job claimable at once. The attempt does not count towards the limit, but its number stays:
 * a handler that ignores the shutdown must not share its fencing token with the next attempt.
 */
export const release = <Deps>({ sql, schema }: Worker<Deps>, job: ClaimedJob) => sql`
  update ${identifier(`${schema}.jobs`)} set lease_until = now(), max_attempts = max_attempts + 1
  where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING'`

async function retryOrMarkDead<Deps>(
  { sql, schema }: Worker<Deps>,
  job: ClaimedJob,
  thrown: unknown,
) {
  const dead = job.attempts >= job.max_attempts
  const delay = Math.min(1000 * 2 ** (job.attempts - 1), 300_000) * (0.5 + Math.random() / 2)
  const setStatus = (status: string) => sql`
    update ${identifier(`${schema}.jobs`)}
    set status = ${status}, lease_until = null,
      run_at = now() + ${Math.round(delay)} * interval '1 millisecond',
      finished_at = case when ${status !== 'PENDING'} then now() end,
      last_error = ${failureReason(thrown)}
    where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING'`
  try {
    await setStatus(dead ? 'DEAD' : 'PENDING')
  } catch (duplicate) {
    if ((duplicate as { code?: unknown }).code !== '23505') throw duplicate
    // A job with the same key is already PENDING and does the same work.
    await setStatus('DONE')
  }
  return !dead
}

const failureReason = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : 'unknown').slice(0, 500)

const Count = z.object({ kind: z.string(), status: z.string(), jobs: z.int() })

/** Deletes DONE jobs after seven days, in batches, and updates the job gauges. DEAD jobs are kept. */
export async function deleteFinishedJobs<Deps>(
  { sql, schema, metrics }: Worker<Deps>,
  batchSize = 5_000,
): Promise<void> {
  const table = identifier(`${schema}.jobs`)
  for (let deleted = batchSize; deleted === batchSize; ) {
    const rows = await sql`
      delete from ${table} where id in (
        select id from ${table} where status = 'DONE' and finished_at < now() - interval '7 days'
        limit ${batchSize})
      returning 1`
    deleted = rows.length
  }
  const counts = await sql.rows(Count)`
    select kind, status, count(*) as jobs from ${table} group by kind, status`
  for (const { kind, status, jobs } of counts) metrics.gauge('jobs', { kind, status }, jobs)
}
