import * as z from 'zod'
import type { fragment, Sql } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import { count } from './rows.ts'

const Gone = z.object({ seq: z.int(), words: z.int() })

/** Takes documents out of a base; says how many, and which places. In the caller's transaction. */
export async function remove(
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  which: ReturnType<typeof fragment>,
): Promise<{ documents: number; seqs: number[] }> {
  await sql`select from knowledge.bases where no = ${base.no} for update`
  const gone = await sql.rows(Gone)`
    delete from knowledge.chunks where base = ${base.no} and document_id in (
      select document_id from knowledge.documents where base = ${base.no} and ${which})
    returning seq, words`
  const documents = await sql`
    delete from knowledge.documents where base = ${base.no} and ${which} returning document_id`
  if (gone.length > 0) await count(sql, base.no, [], gone)
  return { documents: documents.length, seqs: gone.map(({ seq }) => seq) }
}
