import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { ExternalId, Time } from '../../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { KbId, loadBase } from '../base.ts'
import { get, post } from '../deps.ts'
import { enqueueSync } from '../graph/sync.ts'
import { removeDocuments } from '../write-documents.ts'

const path = '/api/v1/internal/seed/system-kb-documents/unowned'

const UnownedDocument = z
  .object({
    kb_id: z.string(),
    kb_name: z.string(),
    document_id: z.string(),
    title: z.string(),
    doc_type: z.string(),
    updated_at: Time,
  })
  .meta({ id: 'UnownedDocument' })

/** Documents of system bases that no seed package owns: written by an import without a source, or by a tenant before such writes were rejected. */
const unowned = fragment`document.package_id is null and base.organization_id is null`

export const unownedDocuments = [
  get(
    path,
    {
      summary: 'List documents of system bases that no seed package owns',
      query: PageQuery.extend({ kb: KbId.optional() }),
      responses: { 200: pageSchema(UnownedDocument) },
    },
    async (c, { query }) => {
      const named = query.kb === undefined ? fragment`` : fragment` and base.name = ${query.kb}`
      const from = fragment`knowledge.documents document
        join knowledge.bases base on base.no = document.base where ${unowned} ${named}`
      const columns = fragment`base.id as kb_id, base.name as kb_name, document_id, title, doc_type,
        document.updated_at`
      const order = fragment`base.name, document_id`
      return ok(c, await selectPage(c.env.sql, UnownedDocument, query, { from, columns, order }))
    },
  ),

  post(
    `${path}/delete`,
    {
      summary: 'Delete documents of a system base that no seed package owns',
      body: z.object({ kb: KbId, document_ids: z.array(ExternalId).min(1).max(1_000) }),
      example: { kb: 'sys_laws', document_ids: ['forged-law'] },
      responses: { 200: z.object({ documents: z.int(), chunks: z.int() }) },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => ok(c, await deleteUnowned(c.env, body.kb, body.document_ids)),
  ),
]

type Context = Parameters<typeof removeDocuments>[0] &
  Parameters<typeof enqueueSync>[0] & { sql: Sql }

async function deleteUnowned(context: Context, kb: string, documentIds: readonly string[]) {
  const base = await loadBase(context.sql, { organizationId: undefined, userType: undefined }, kb)
  return context.sql.transaction(async (sql) => {
    const which = fragment`package_id is null and document_id = any(${textArray(documentIds)})
      and exists (select from knowledge.bases
        where no = ${base.no} and organization_id is null)`
    const removed = await removeDocuments(context, sql, base, which, { packageId: null })
    await enqueueSync(context, sql)
    return removed
  })
}
