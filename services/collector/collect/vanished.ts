import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { importFailed } from './import-document.ts'
import type { Source } from './source.ts'
import { followsLinks } from './visit.ts'

/**
 * Updates which pages of a source are missing after a run: those for which the server returns 404 or 410, and
 * those that no link or sitemap lists any more. The latter only if the run saw everything that could list
 * them: it did not reach the maximum number of pages, and no page whose links are followed failed. A feed
 * lists new pages only, so its older pages are not missing.
 */
export const markMissing = (sql: Sql, runId: string, source: Source, maxPages: number) => sql`
  with page as (
    select document.id, frontier.url is not null as listed, gone,
      gone or frontier.url is null and ${source.kind !== 'rss'}::boolean as missing,
      document.sha256 is not null and not gone
        and document.error !~ ${`^${importFailed}`} as failed
    from collector.documents document
    cross join lateral (select coalesce(document.error ~ 'HTTP (404|410)', false) as gone) answer
    left join collector.frontier frontier on frontier.run_id = ${runId}
      and frontier.url = document.url
    where document.source_id = ${source.id}
      and document.organization_id = ${source.organization_id}),
  run as (
    select ${source.kind === 'rss'}::boolean
      or (select count(*) from collector.frontier where run_id = ${runId}) < ${maxPages}::int
        and not (${followsLinks(source)}::boolean
          and exists (select from page where listed and failed)) as complete)
  update collector.documents document
  set missing_since = case when page.missing then now() end
  from page, run
  where document.id = page.id and (page.listed or run.complete)
    and page.missing <> (document.missing_since is not null)`

const Removable = z.object({
  id: z.string(),
  organization_id: z.string(),
  imported_kb_id: z.string().nullable(),
})

/** Deletes pages that were missing for the grace period, here and in knowledge-service. */
export async function deleteMissing(context: ServiceContext<Deps>) {
  const { sql, knowledge, kit, missingGraceMs } = context
  const documents = await sql.rows(Removable)`
    select id, organization_id, imported_kb_id from collector.documents
    where missing_since < now() - ${missingGraceMs} * interval '1 millisecond'
    order by missing_since limit 100`
  for (const { id, organization_id, imported_kb_id } of documents) {
    try {
      if (imported_kb_id !== null) {
        await knowledge
          .request(z.unknown(), '/api/v1/internal/atomic/delete-by-file', {
            method: 'POST',
            body: { kb_id: imported_kb_id, file_id: id },
            idempotent: true,
            headers: { 'x-organization-id': organization_id },
          })
          .catch((thrown: unknown) => {
            // A base that was deleted has no document left.
            if (!(thrown instanceof Fault && thrown.kind === 'NOT_FOUND')) throw thrown
          })
      }
      await sql`
        delete from collector.documents
        where id = ${id} and organization_id = ${organization_id} and missing_since is not null`
    } catch (thrown) {
      kit.log.warn({ document: id, ...errorFields(thrown) }, 'missing page not removed')
    }
  }
}
