import * as z from 'zod'
import type { Sql, SqlFragment } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import { updateCounters } from './write-rows.ts'

const DeletedChunk = z.object({ seq: z.int(), words: z.int() })

/** Deletes documents in the caller's transaction; returns their number and the chunks' sequence numbers. */
export async function deleteDocuments(
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  which: SqlFragment,
): Promise<{ documents: number; seqs: number[] }> {
  await sql`select from knowledge.bases where no = ${base.no} for update`
  const deleted = await sql.rows(DeletedChunk)`
    delete from knowledge.chunks where base = ${base.no} and document_id in (
      select document_id from knowledge.documents where base = ${base.no} and ${which})
    returning seq, words`
  const documents = await sql`
    delete from knowledge.documents where base = ${base.no} and ${which} returning document_id`
  if (deleted.length > 0) await updateCounters(sql, base.no, [], deleted)
  return { documents: documents.length, seqs: deleted.map(({ seq }) => seq) }
}
