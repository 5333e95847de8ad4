import * as z from 'zod'
import type { Sql, SqlFragment } from '../_kit/sql/sql.ts'
import { lockBase, type WriteOrigin } from './lock-base.ts'
import { updateCounters } from './write-rows.ts'

const DeletedChunk = z.object({ seq: z.int(), words: z.int() })

/** Deletes documents in the caller's transaction; returns their number and the chunks' sequence numbers. */
export async function deleteDocuments(
  sql: Sql,
  base: number,
  which: SqlFragment,
  origin: WriteOrigin,
): Promise<{ documents: number; seqs: number[] }> {
  const { shard } = await lockBase(sql, base, origin)
  const deleted = await sql.rows(DeletedChunk)`
    delete from knowledge.chunks where base = ${base} and document_id in (
      select document_id from knowledge.documents where base = ${base} and ${which})
    returning seq, words`
  const documents = await sql`
    delete from knowledge.documents where base = ${base} and ${which} returning document_id`
  if (deleted.length > 0) await updateCounters(sql, base, shard?.no, [], deleted)
  return { documents: documents.length, seqs: deleted.map(({ seq }) => seq) }
}
