import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import { count } from './rows.ts'
import { addPostings } from './search/postings.ts'
import { textOf } from './text.ts'

const Next = z.object({ next_seq: z.int() })
const Stored = z.object({
  seq: z.int(),
  title: z.string(),
  section_id: z.string().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  words: z.int(),
})

/** Gives every chunk of some documents a new place in the index. In the caller's transaction. */
export async function reindex(
  sql: Sql,
  base: number,
  documentIds: readonly string[],
): Promise<number[]> {
  const row = await sql.row(Next)`
    select next_seq from knowledge.bases where no = ${base} for update`
  if (!row) return []
  const chunks = await sql.rows(Stored)`
    select seq, title, section_id, chunk.metadata ->> 'heading' as heading, content, words
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base} and document_id = any(${textArray(documentIds)})`
  const placed = chunks.map((chunk, index) => ({ ...chunk, next: row.next_seq + index }))
  const lengths = await addPostings(
    sql,
    base,
    placed.map((chunk) => ({ seq: chunk.next, text: textOf(chunk) })),
  )
  const ints = (list: number[]) => numberArray(list, 'int4')
  await sql`
    update knowledge.chunks chunk set seq = moved.next, words = moved.words
    from unnest(${ints(placed.map(({ seq }) => seq))}, ${ints(placed.map(({ next }) => next))},
      ${ints(lengths)}) moved (seq, next, words)
    where chunk.base = ${base} and chunk.seq = moved.seq`
  await count(
    sql,
    base,
    lengths.map((words) => ({ words })),
    chunks,
  )
  return placed.flatMap(({ seq, next }) => [seq, next])
}
