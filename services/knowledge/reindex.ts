import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import { indexedText } from './indexed-text.ts'
import { requireSeqs } from './lock-base.ts'
import { maxSegmentChunks, SegmentBuilder, writeSegment } from './search/index/segment.ts'
import { updateCounters } from './write-rows.ts'

const Next = z.object({ next_seq: z.int() })
const StoredText = z.object({
  seq: z.int(),
  title: z.string(),
  section_id: z.string().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  words: z.int(),
})

/** Indexes the chunks of documents again under new sequence numbers, in the caller's transaction. */
export async function reindexChunks(
  sql: Sql,
  base: number,
  documentIds: readonly string[],
): Promise<number[]> {
  const row = await sql.row(Next)`
    select next_seq from knowledge.bases where no = ${base} for update`
  if (!row) return []
  const chunks = await sql.rows(StoredText)`
    select seq, title, section_id, chunk.metadata ->> 'heading' as heading, content, words
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base} and document_id = any(${textArray(documentIds)})`
  requireSeqs(row.next_seq + chunks.length)
  const moved = chunks.map((chunk, index) => ({ ...chunk, next: row.next_seq + index }))
  const lengths: number[] = []
  for (let at = 0; at < moved.length; at += maxSegmentChunks) {
    const segment = new SegmentBuilder()
    for (const chunk of moved.slice(at, at + maxSegmentChunks)) {
      lengths.push(segment.add(chunk.next, indexedText(chunk)))
    }
    await writeSegment(sql, base, segment.build())
  }
  const ints = (list: number[]) => numberArray(list, 'int4')
  await sql`
    update knowledge.chunks chunk set seq = moved.next, words = moved.words
    from unnest(${ints(moved.map(({ seq }) => seq))}, ${ints(moved.map(({ next }) => next))},
      ${ints(lengths)}) moved (seq, next, words)
    where chunk.base = ${base} and chunk.seq = moved.seq`
  await updateCounters(
    sql,
    base,
    lengths.map((words) => ({ words })),
    chunks,
  )
  return moved.flatMap(({ seq, next }) => [seq, next])
}
