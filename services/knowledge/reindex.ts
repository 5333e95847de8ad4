import * as z from 'zod'
import { fragment, numberArray, type Sql, type SqlFragment, textArray } from '../_kit/sql/sql.ts'
import { TimeSlice } from '../_kit/time-slice.ts'
import { indexedText } from './indexed-text.ts'
import { lockBaseIfExists, requireSeqs } from './lock-base.ts'
import { maxSegmentChunks, SegmentBuilder, writeSegment } from './search/index/segment.ts'
import { writeSeqRange } from './search/index/seq-ranges.ts'
import { updateCounters } from './write-rows.ts'

const StoredText = z.object({
  seq: z.int(),
  title: z.string(),
  section_id: z.string().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  words: z.int(),
})
type StoredText = z.infer<typeof StoredText>

/** A chunk with its new sequence number and length. */
interface IndexedText {
  seq: number
  next: number
  words: number
}

/** Indexes the chunks of documents again under new sequence numbers, in the caller's transaction. */
export async function reindexChunks(
  sql: Sql,
  base: number,
  documentIds: readonly string[],
): Promise<number[]> {
  const shard = (await lockBaseIfExists(sql, base))?.shard
  if (!shard) return []
  const which = fragment` and document_id = any(${textArray(documentIds)})`
  const chunks = await loadTexts(sql, base, which)
  const indexed = await indexAgain(sql, base, shard, chunks)
  await updateCounters(sql, base, shard.no, indexed, chunks)
  return indexed.flatMap(({ seq, next }) => [seq, next])
}

/** Loads the texts of a base's chunks. */
export const loadTexts = (sql: Sql, base: number, which: SqlFragment = fragment``) =>
  sql.rows(StoredText)`
    select seq, title, section_id, chunk.metadata ->> 'heading' as heading, content, words
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base} ${which} order by seq`

/** Gives chunks the next sequence numbers of a locked shard and indexes their texts there. */
export async function indexAgain(
  sql: Sql,
  base: number,
  shard: { no: number; next_seq: number },
  chunks: readonly StoredText[],
): Promise<IndexedText[]> {
  if (chunks.length === 0) return []
  const first_seq = shard.next_seq
  const end_seq = first_seq + chunks.length
  requireSeqs(end_seq)
  const slice = new TimeSlice()
  const indexed: IndexedText[] = []
  for (let at = 0; at < chunks.length; at += maxSegmentChunks) {
    const segment = new SegmentBuilder()
    for (const chunk of chunks.slice(at, at + maxSegmentChunks)) {
      const next = first_seq + indexed.length
      indexed.push({ seq: chunk.seq, next, words: segment.add(next, indexedText(chunk)) })
      if (slice.isOver) await slice.pause()
    }
    await writeSegment(sql, shard.no, segment.build())
  }
  const ints = (list: number[]) => numberArray(list, 'int4')
  await sql`
    update knowledge.chunks chunk set seq = indexed.next, words = indexed.words
    from unnest(${ints(indexed.map(({ seq }) => seq))}, ${ints(indexed.map(({ next }) => next))},
      ${ints(indexed.map(({ words }) => words))}) indexed (seq, next, words)
    where chunk.base = ${base} and chunk.seq = indexed.seq`
  await writeSeqRange(sql, shard.no, { first_seq, end_seq, base })
  return indexed
}
