import * as z from 'zod'
import { newId } from './ids.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { identifier, json, type Sql, textArray } from './sql/sql.ts'

/**
 * Durable jobs: rows of `<schema>.jobs`, claimed with `skip locked` under a lease. A process that dies
 * leaves its job to whoever comes after the lease; a job's own effects must therefore bear repeating.
 */
export type JobHandler<Deps> = (deps: Deps, payload: any, job: JobContext) => Promise<unknown>

export interface JobContext {
  id: string
  attempt: number
  /** Aborted when the lease was lost to another process: stop, the work is theirs now. */
  signal: AbortSignal
}

export interface NewJob {
  kind: string
  payload?: unknown
  /** A second job of the same kind and key, while the first still waits, is the same job. */
  key?: string
  delayMs?: number
  maxAttempts?: number
}

/**
 * Adds a job in the caller's transaction; true when it is new. One that waits already is held until
 * the transaction ends: it must not run before it can see what it was asked for.
 */
export async function enqueue(sql: Sql, schema: string, job: NewJob): Promise<boolean> {
  const row = await sql.row(Added)`
    insert into ${identifier(`${schema}.jobs`)} (id, kind, payload, dedupe_key, run_at, max_attempts)
    values (${newId()}, ${job.kind}, ${json(job.payload ?? {})}, ${job.key ?? null},
      now() + ${job.delayMs ?? 0} * interval '1 millisecond', ${job.maxAttempts ?? 8})
    on conflict (kind, dedupe_key) where status = 'PENDING'
      do update set dedupe_key = excluded.dedupe_key
    returning xmax = 0 as fresh`
  return row!.fresh
}

const Added = z.object({ fresh: z.boolean() })

const Claimed = z.object({
  id: z.string(),
  kind: z.string(),
  payload: z.unknown(),
  attempts: z.int(),
  max_attempts: z.int(),
})
type Claimed = z.infer<typeof Claimed>

export interface Worker<Deps> {
  sql: Sql
  schema: string
  deps: Deps
  handlers: Record<string, JobHandler<Deps>>
  log: Log
  metrics: Metrics
  leaseMs?: number
}

/** Runs the jobs that are due, a few at a time; says how many it ran. */
export async function runJobs<Deps>(worker: Worker<Deps>, most = 4): Promise<number> {
  const jobs = await claim(worker, most)
  await Promise.all(jobs.map((job) => run(worker, job)))
  return jobs.length
}

function claim<Deps>({ sql, schema, handlers, leaseMs = 30_000 }: Worker<Deps>, most: number) {
  const table = identifier(`${schema}.jobs`)
  return sql.rows(Claimed)`
    update ${table} set status = 'RUNNING', attempts = attempts + 1, started_at = now(),
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id in (
      select id from ${table}
      where kind = any(${textArray(Object.keys(handlers))})
        and (status = 'PENDING' and run_at <= now() or status = 'RUNNING' and lease_until < now())
      order by run_at for update skip locked limit ${most})
    returning id, kind, payload, attempts, max_attempts`
}

async function run<Deps>(worker: Worker<Deps>, job: Claimed): Promise<void> {
  const { deps, handlers, metrics, log } = worker
  const lost = new AbortController()
  const heartbeat = setInterval(
    () =>
      renew(worker, job)
        .then((held) => held || lost.abort(new Error('the lease was lost')))
        .catch((thrown) => log.warn({ job: job.id, ...errorFields(thrown) }, 'lease not renewed')),
    (worker.leaseMs ?? 30_000) / 3,
  )
  const started = performance.now()
  let outcome = 'done'
  try {
    if (job.attempts > job.max_attempts) throw new Error('the process died in every attempt')
    const context = { id: job.id, attempt: job.attempts, signal: lost.signal }
    await handlers[job.kind]!(deps, job.payload, context)
    await finish(worker, job)
  } catch (thrown) {
    outcome = (await retryOrMarkDead(worker, job, thrown)) ? 'retry' : 'dead'
    log.warn({ job: job.id, kind: job.kind, outcome, ...errorFields(thrown) }, 'job failed')
  } finally {
    clearInterval(heartbeat)
    metrics.count('jobs_total', { kind: job.kind, outcome })
    metrics.time('job_seconds', { kind: job.kind }, performance.now() - started)
  }
}

/** The attempt number is the fencing token: whoever claimed the job later has a higher one. */
async function renew<Deps>({ sql, schema, leaseMs = 30_000 }: Worker<Deps>, job: Claimed) {
  const held = await sql`
    update ${identifier(`${schema}.jobs`)}
    set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING' returning id`
  return held.length > 0
}

const finish = <Deps>({ sql, schema }: Worker<Deps>, job: Claimed) => sql`
  update ${identifier(`${schema}.jobs`)}
  set status = 'DONE', finished_at = now(), lease_until = null, last_error = null
  where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING'`

async function retryOrMarkDead<Deps>({ sql, schema }: Worker<Deps>, job: Claimed, thrown: unknown) {
  const dead = job.attempts >= job.max_attempts
  const delay = Math.min(1000 * 2 ** (job.attempts - 1), 300_000) * (0.5 + Math.random() / 2)
  const to = (status: string) => sql`
    update ${identifier(`${schema}.jobs`)}
    set status = ${status}, lease_until = null,
      run_at = now() + ${Math.round(delay)} * interval '1 millisecond',
      finished_at = case when ${status !== 'PENDING'} then now() end,
      last_error = ${reasonOf(thrown)}
    where id = ${job.id} and attempts = ${job.attempts} and status = 'RUNNING'`
  try {
    await to(dead ? 'DEAD' : 'PENDING')
  } catch (taken) {
    if ((taken as { code?: unknown }).code !== '23505') throw taken
    // Another of the same key waits by now, and will do what this one did not.
    await to('DONE')
  }
  return !dead
}

const reasonOf = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : 'unknown').slice(0, 500)

const Count = z.object({ kind: z.string(), status: z.string(), jobs: z.int() })

/** Forgets finished jobs after a week, and tells the metrics what is left. Dead ones stay. */
export async function deleteFinishedJobs<Deps>({
  sql,
  schema,
  metrics,
}: Worker<Deps>): Promise<void> {
  const table = identifier(`${schema}.jobs`)
  await sql`delete from ${table} where status = 'DONE' and finished_at < now() - interval '7 days'`
  const counts = await sql.rows(Count)`
    select kind, status, count(*) as jobs from ${table} group by kind, status`
  for (const { kind, status, jobs } of counts) metrics.gauge('jobs', { kind, status }, jobs)
}
