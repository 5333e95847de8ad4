import * as z from 'zod'
import { notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'

export const CollectedDocument = z
  .object({
    id: Id,
    source_id: Id,
    organization_id: z.string(),
    url: z.string(),
    title: z.string(),
    sha256: z.string().nullable().describe('SHA-256 of the extracted text.'),
    status: z.enum(['NEW', 'CHANGED', 'UNCHANGED', 'IMPORTED', 'FAILED']),
    error: z.string().nullable(),
    fetched_at: Time.nullable(),
    imported_at: Time.nullable(),
    missing_since: Time.nullable().describe('Time since when the page is no longer on its site.'),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'CollectedDocument' })

/** All columns of CollectedDocument. Lists must not read `content`, which may have 2 million characters. */
export const listColumns = fragment`id, source_id, organization_id, url, title, sha256, status, error,
  fetched_at, imported_at, missing_since, created_at, updated_at`

export const DocumentWithContent = CollectedDocument.extend({ content: z.string() })
export type DocumentWithContent = z.output<typeof DocumentWithContent>

export async function loadDocument(sql: Sql, id: string, condition: SqlFragment) {
  const document = await sql.row(DocumentWithContent)`
    select * from collector.documents where id = ${id} and ${condition}`
  if (!document) throw notFound(`document ${id}`)
  return document
}

/** Maximum stored length of a page's text. */
export const maxTextLength = 2_000_000
