import * as z from 'zod'
import { numbers, part, type Sql } from '../../_kit/sql/sql.ts'
import { Hit } from './question.ts'
import type { Scored } from './top.ts'

const Row = Hit.omit({ score: true, matched_by: true }).extend({ base: z.int(), seq: z.int() })

/** A chunk that was found, with its place. */
export type Found = z.infer<typeof Row> & { score: number }

/** Places as the chunks that are there, in the same order; those that are gone are left out. */
export async function foundAt(
  sql: Sql,
  scored: readonly Scored[],
  where: ReturnType<typeof part> = part``,
): Promise<Found[]> {
  if (scored.length === 0) return []
  const ints = (list: number[]) => numbers(list, 'int4')
  const rows = await sql.rows(Row)`
    select chunk.base, chunk.seq, base.id as kb_id, document_id, title, doc_type, chunk_index,
      section_id, content, chunk.metadata
    from unnest(${ints(scored.map(({ base }) => base))}, ${ints(scored.map(({ seq }) => seq))})
        wanted (base, seq)
      join knowledge.chunks chunk using (base, seq)
      join knowledge.documents document using (base, document_id)
      join knowledge.bases base on base.no = chunk.base
    where true ${where}`
  const byPlace = new Map(rows.map((row) => [`${row.base} ${row.seq}`, row]))
  return scored.flatMap(({ base, seq, score }) => {
    const row = byPlace.get(`${base} ${seq}`)
    return row ? [{ ...row, score }] : []
  })
}
