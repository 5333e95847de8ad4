import * as z from 'zod'
import { chunkText } from '../../_kit/chunk/chunk.ts'
import type { ServiceContext } from '../../_kit/context.ts'
import type { RequestOptions } from '../../_kit/peer.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { DocumentWithContent } from './document.ts'
import { isSystemBase, type Source } from './source.ts'

/** Imports a document into a knowledge base and marks it as IMPORTED, unless it changed meanwhile. */
export async function importDocument(
  { sql, knowledge }: ServiceContext<Deps>,
  kbId: string,
  document: DocumentWithContent,
  from?: RequestOptions['from'],
) {
  await knowledge.request(z.unknown(), '/api/v1/internal/atomic/batch-upsert', {
    method: 'POST',
    body: { documents: [toKnowledgeDocument(kbId, document)] },
    idempotent: true,
    deadlineMs: 60_000,
    ...(from && { from }),
    headers: { 'x-organization-id': document.organization_id },
  })
  await sql`
    update collector.documents set status = 'IMPORTED', imported_at = now(),
      imported_sha256 = sha256, imported_kb_id = ${kbId}, updated_at = now()
    where id = ${document.id} and organization_id = ${document.organization_id}
      and sha256 = ${document.sha256}`
}

/** Start of the error of a document that was fetched but not imported. */
export const importFailed = 'Import failed: '

/** Marks a document that the base refused as FAILED, so that the import goes on with the next one. */
export const markRefused = (sql: Sql, document: DocumentWithContent, reason: string) => sql`
  update collector.documents
  set status = 'FAILED', error = ${(importFailed + reason).slice(0, 1_000)}, updated_at = now()
  where id = ${document.id} and organization_id = ${document.organization_id}`

/** Loads a document of a source whose current content is not imported yet. */
export const nextUnimported = ({ sql }: ServiceContext<Deps>, source: Source) =>
  sql.row(DocumentWithContent)`
    select * from collector.documents
    where source_id = ${source.id} and organization_id = ${source.organization_id}
      and sha256 is not null and imported_sha256 is distinct from sha256
      and status <> 'FAILED' and missing_since is null
    order by created_at, id limit 1`

/** True if a scheduled run imports the documents of the source. */
export const importsAutomatically = ({ kb_id }: Source) => kb_id !== null && !isSystemBase(kb_id)

const toKnowledgeDocument = (kb_id: string, document: DocumentWithContent) => ({
  kb_id,
  document_id: document.id,
  // Allows the deletion of the document by delete-by-file.
  file_id: document.id,
  doc_type: 'web',
  title: document.title,
  metadata: {
    url: document.url,
    source_id: document.source_id,
    sha256: document.sha256,
    fetched_at: document.fetched_at,
  },
  chunks: chunkText(document.content).chunks,
})
