import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'

/**
 * Updates which pages of a source are missing after a run. A page is missing if no link, sitemap or feed
 * lists it any more, or if the server returns 404 or 410.
 */
export const markMissing = (sql: Sql, runId: string, sourceId: string) => sql`
  update collector.documents document set missing_since = case
    when gone.gone then coalesce(document.missing_since, now()) end
  from (
    select page.id,
      frontier.url is null or coalesce(page.error ~ 'HTTP (404|410)', false) as gone
    from collector.documents page
    left join collector.frontier frontier on frontier.run_id = ${runId} and frontier.url = page.url
    where page.source_id = ${sourceId}) gone
  where document.id = gone.id and gone.gone <> (document.missing_since is not null)`

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
        await knowledge.request(z.unknown(), '/api/v1/internal/atomic/delete-by-file', {
          method: 'POST',
          body: { kb_id: imported_kb_id, file_id: id },
          idempotent: true,
          headers: { 'x-organization-id': organization_id },
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
