import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import { FetchError, parseUrl } from '../../_kit/outbound/address.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { discoverUrls, extractLinks } from './discover.ts'
import {
  importDocument,
  importFailed,
  importsAutomatically,
  markRefused,
  nextUnimported,
} from './import-document.ts'
import { addToFrontier, nextUrl, RunLease, recordVisit } from './progress.ts'
import { changeRun, collectJob } from './run.ts'
import { Source } from './source.ts'
import { markMissing } from './vanished.ts'
import { visit } from './visit.ts'

const Payload = z.object({ run_id: z.string() })
const ClaimedRun = z.object({
  source_id: z.string(),
  attempt: z.int(),
  trigger: z.string(),
  listed: z.boolean(),
})

/** After this time a run continues in a new job, so that other jobs are not delayed. */
const sliceMs = 20_000

/** Continues a run at its frontier. The run may have been started by another process. */
export async function collect(context: ServiceContext<Deps>, payload: unknown, job: JobContext) {
  const { sql } = context
  const { run_id } = Payload.parse(payload)
  const changes = fragment`status = 'RUNNING', attempt = attempt + 1,
    started_at = coalesce(started_at, now())`
  const claimed = await sql.row(ClaimedRun)`
    with ${changeRun(changes, fragment`id = ${run_id}`)}
    select source_id, attempt, trigger,
      exists (select from collector.frontier where run_id = changed.id) as listed
    from changed`
  if (!claimed) return
  const source = await sql.row(Source)`
    select * from collector.sources where id = ${claimed.source_id}`
  if (!source) return
  const watch = watchRun(sql, run_id, job)
  const lease = new RunLease(run_id, claimed.attempt)
  const signal = AbortSignal.any([watch.signal, job.signal])
  const until = Date.now() + sliceMs
  try {
    if (!claimed.listed) await fillFrontier(context, lease, source, signal)
    for (;;) {
      const url = await nextUrl(sql, run_id)
      if (url === undefined) break
      const result = await visit(context, source, parseUrl(url), signal)
      await recordVisit(sql, lease, source, url, result)
      await addToFrontier(sql, lease, extractLinks(source, result), context.collection!.maxPages)
      if (Date.now() > until) return await continueLater(sql, lease)
    }
    if (claimed.trigger === 'schedule' && importsAutomatically(source)) {
      if (!(await importAll(context, lease, source, signal, until))) {
        return await continueLater(sql, lease)
      }
    }
    await finishRun(sql, lease, source, context.collection!.maxPages)
  } catch (thrown) {
    // The run was cancelled, deleted or taken over.
    if (signal.aborted || lease.lost) return
    if (!(thrown instanceof FetchError)) throw thrown
    await failRun(sql, lease, thrown.message)
  } finally {
    watch.end()
  }
}

/** Discovers the start URLs. An error fails the run. */
async function fillFrontier(
  context: ServiceContext<Deps>,
  lease: RunLease,
  source: Source,
  signal: AbortSignal,
) {
  const urls = await discoverUrls(context, source, signal)
  await lease.log(context.sql, 'info', `Found ${urls.length} URLs.`)
  await addToFrontier(context.sql, lease, urls, context.collection!.maxPages)
}

const continueLater = (sql: Sql, lease: RunLease) =>
  lease.write(sql, (sql) => enqueue(sql, 'collector', collectJob(lease.runId)))

/** Imports new and changed documents until `until`. Returns false if some are left. */
async function importAll(
  context: ServiceContext<Deps>,
  lease: RunLease,
  source: Source,
  signal: AbortSignal,
  until: number,
): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted()
    const document = await nextUnimported(context, source)
    if (!document) return true
    if (Date.now() > until) return false
    try {
      await importDocument(context, source.kb_id!, document)
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      // The next scheduled run tries again.
      await lease.log(context.sql, 'warn', `${document.url}: ${importFailed}${thrown.message}`)
      if (thrown.retryable) return true
      await markRefused(context.sql, document, thrown.message)
    }
  }
}

async function finishRun(sql: Sql, lease: RunLease, source: Source, maxPages: number) {
  await lease.write(sql, async (sql) => {
    await markMissing(sql, lease.runId, source, maxPages)
    await endRun(
      sql,
      lease.runId,
      fragment`case
        when (counts ->> 'failed')::int > 0 and (counts ->> 'new')::int
          + (counts ->> 'changed')::int + (counts ->> 'unchanged')::int = 0 then 'FAILED'
        else 'SUCCEEDED' end`,
    )
  })
}

const failRun = (sql: Sql, lease: RunLease, message: string) =>
  lease.write(sql, async (sql) => {
    await sql`insert into collector.run_log (run_id, level, message)
      values (${lease.runId}, 'warn', ${message.slice(0, 1_000)})`
    await endRun(sql, lease.runId, fragment`'FAILED'`)
  })

const endRun = (sql: Sql, runId: string, status: SqlFragment) => sql`
  with ${changeRun(fragment`finished_at = now(), status = ${status}`, fragment`id = ${runId}`)}
  select id from changed`

const Status = z.object({ status: z.string() })

/** Polls the run every second, to abort a slow fetch when the run is cancelled. */
function watchRun(sql: Sql, runId: string, job: JobContext) {
  const cancelled = new AbortController()
  const timer = setInterval(async () => {
    try {
      const run = await sql.row(Status)`select status from collector.runs where id = ${runId}`
      if (run?.status !== 'RUNNING') cancelled.abort(new Error('run cancelled'))
    } catch {
      // The next poll may succeed. Writes of a cancelled run fail in any case.
    }
    if (job.signal.aborted) clearInterval(timer)
  }, 1_000)
  return { signal: cancelled.signal, end: () => clearInterval(timer) }
}

const DeadRun = z.object({ id: z.string() })

/** Marks runs as FAILED when their job is DEAD. */
export async function failDeadRuns(sql: Sql): Promise<void> {
  const dead = await sql.rows(DeadRun)`
    select distinct run.id from collector.runs run
    join collector.jobs job on run.id = (job.payload ->> 'run_id')::uuid
    where job.kind = 'collect' and job.status = 'DEAD' and run.status in ('PENDING', 'RUNNING')
      and not exists (select from collector.jobs other
        where other.kind = 'collect' and other.status in ('PENDING', 'RUNNING')
          and other.payload ->> 'run_id' = job.payload ->> 'run_id')`
  for (const { id } of dead) await endRun(sql, id, fragment`'FAILED'`)
}
