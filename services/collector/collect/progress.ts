import * as z from 'zod'
import { newId } from '../../_kit/ids.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Counts } from './run.ts'
import type { Source } from './source.ts'
import type { VisitResult } from './visit.ts'

const maxLogEntries = 1_000

/** Lease of a worker on a run. A later attempt or a cancellation revokes it; writes then throw. */
export class RunLease {
  readonly runId: string
  readonly attempt: number
  lost = false

  constructor(runId: string, attempt: number) {
    this.runId = runId
    this.attempt = attempt
  }

  write<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
    return sql.transaction(async (sql) => {
      const [run] = await sql`
        select id from collector.runs
        where id = ${this.runId} and attempt = ${this.attempt} and status = 'RUNNING' for update`
      if (!run) {
        this.lost = true
        throw new Error('run lease lost')
      }
      return work(sql)
    })
  }

  log(sql: Sql, level: 'info' | 'warn', message: string) {
    return this.write(sql, (sql) => appendLog(sql, this.runId, level, message))
  }
}

const appendLog = (sql: Sql, runId: string, level: 'info' | 'warn', message: string) => sql`
  insert into collector.run_log (run_id, level, message)
  select ${runId}::uuid, ${level}::text, ${message.slice(0, 1_000)}::text
  where (select count(*) from collector.run_log where run_id = ${runId}) < ${maxLogEntries}`

/** Adds URLs to the frontier, each once, up to `maxPages`. */
export async function addToFrontier(sql: Sql, lease: RunLease, urls: string[], maxPages: number) {
  if (urls.length === 0) return
  await lease.write(sql, async (sql) => {
    await sql`
      insert into collector.frontier (run_id, url)
      select ${lease.runId}::uuid, url
      from unnest(${textArray(urls)}) with ordinality as given (url, place)
      where url not in (select url from collector.frontier where run_id = ${lease.runId})
      order by place
      limit greatest(0, ${maxPages}::int - (
        select count(*) from collector.frontier where run_id = ${lease.runId})::int)
      on conflict do nothing`
    await sql`
      update collector.runs set counts = counts || jsonb_build_object('found',
        (select count(*) from collector.frontier where run_id = ${lease.runId}))
      where id = ${lease.runId}`
  })
}

const FrontierRow = z.object({ url: z.string() })

export async function nextUrl(sql: Sql, runId: string): Promise<string | undefined> {
  const row = await sql.row(FrontierRow)`
    select url from collector.frontier where run_id = ${runId} and not done order by seq limit 1`
  return row?.url
}

/** Records the result of a visit in one transaction: document, counts, log and frontier. */
export const recordVisit = (
  sql: Sql,
  lease: RunLease,
  source: Source,
  url: string,
  result: VisitResult,
) =>
  lease.write(sql, async (sql) => {
    const outcome = await upsertDocument(sql, source, url, result)
    await sql`
      update collector.frontier set done = true where run_id = ${lease.runId} and url = ${url}`
    await sql`
      update collector.runs set counts = counts || jsonb_build_object(
        ${outcome}::text, (counts ->> ${outcome}::text)::int + 1)
      where id = ${lease.runId}`
    if ('problem' in result) {
      await appendLog(sql, lease.runId, 'warn', `${url}: ${result.problem}`)
    }
  })

const StatusRow = z.object({ status: z.string() })

async function upsertDocument(
  sql: Sql,
  source: Source,
  url: string,
  result: VisitResult,
): Promise<keyof Counts> {
  if ('skipped' in result) return 'skipped'
  if ('unchanged' in result) {
    await sql`
      update collector.documents set fetched_at = now(), error = null, updated_at = now(),
        status = case when status = 'IMPORTED' then 'IMPORTED' else 'UNCHANGED' end
      where source_id = ${source.id} and url = ${url}`
    return 'unchanged'
  }
  const page = 'text' in result ? result : null
  const error = 'problem' in result ? result.problem.slice(0, 1_000) : null
  const values = json({
    title: page?.title ?? url.slice(0, 500),
    sha256: page?.sha256 ?? null,
    content: page?.text ?? '',
    etag: page?.etag ?? null,
    last_modified: page?.lastModified ?? null,
  })
  const row = await sql.row(StatusRow)`
    insert into collector.documents as kept (id, organization_id, source_id, url, title, sha256,
      status, error, content, etag, last_modified, fetched_at)
    select ${newId()}::uuid, ${source.organization_id}::text, ${source.id}::uuid, ${url}::text,
      given.title, given.sha256, ${error === null ? 'NEW' : 'FAILED'}::text, ${error}::text,
      given.content, given.etag, given.last_modified, now()
    from jsonb_to_record(${values})
      as given (title text, sha256 text, content text, etag text, last_modified text)
    on conflict (source_id, url) do update set
      -- A failed fetch keeps the content of the last successful one.
      title = case when excluded.error is null then excluded.title else kept.title end,
      sha256 = coalesce(excluded.sha256, kept.sha256),
      content = case when excluded.error is null then excluded.content else kept.content end,
      etag = case when excluded.error is null then excluded.etag else kept.etag end,
      last_modified = case when excluded.error is null then excluded.last_modified
        else kept.last_modified end,
      status = case when excluded.error is not null then 'FAILED'
        when kept.sha256 is null then 'NEW'
        when kept.sha256 <> excluded.sha256 then 'CHANGED'
        when kept.imported_sha256 = excluded.sha256 then 'IMPORTED' else 'UNCHANGED' end,
      error = excluded.error, fetched_at = now(), updated_at = now()
    returning status`
  const names: Record<string, keyof Counts> = {
    FAILED: 'failed',
    NEW: 'new',
    CHANGED: 'changed',
  }
  return names[row!.status] ?? 'unchanged'
}
