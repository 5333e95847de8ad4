import * as z from 'zod'
import { notFound } from '../../_kit/fault.ts'
import { Id, Time } from '../../_kit/fields.ts'
import type { Sql, SqlFragment } from '../../_kit/sql/sql.ts'

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
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'CollectedDocument' })

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
const chunkSize = 1_200

/** Groups lines into chunks. Splits a line that is longer than a chunk. */
export function chunksOf(text: string): string[] {
  const chunks: string[] = []
  let open = ''
  for (const line of text.split('\n')) {
    for (let at = 0; at === 0 || at < line.length; at += chunkSize) {
      const piece = line.slice(at, at + chunkSize)
      if (open && open.length + piece.length + 1 > chunkSize) {
        chunks.push(open)
        open = ''
      }
      open = open ? `${open}\n${piece}` : piece
    }
  }
  if (open.trim()) chunks.push(open)
  // A split may leave lone surrogates.
  return chunks.map((chunk) => chunk.toWellFormed())
}
