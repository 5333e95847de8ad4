import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import type { Prepared, PreparedChunk } from './prepared.ts'
import { count, type Placed, writeChunks, writeHeads } from './rows.ts'
import { addPostings } from './search/postings.ts'
import { textOf } from './text.ts'

const Kept = z.object({
  document_id: z.string(),
  chunk_index: z.int(),
  seq: z.int(),
  section_id: z.string().nullable(),
  hash: z.string(),
  words: z.int(),
  article: z.string().nullable(),
  title: z.string(),
  heading: z.string().nullable(),
})
type Kept = z.infer<typeof Kept>

const slice = 1_000

/**
 * Writes documents into a base, each whole in place of what it was. A chunk that says the same in the
 * same place keeps its place in the index. In the caller's transaction; says which places it touched.
 */
export async function replace(
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  documents: readonly Prepared[],
  packageId: string | null = null,
): Promise<number[]> {
  // Who writes to a base waits for whoever does: places are given out in order.
  const row = await sql.row(Next)`
    select next_seq from knowledge.bases where no = ${base.no} for update`
  let next = row!.next_seq
  const before = await keptOf(sql, base.no, documents)
  const placed: Placed[] = []
  const fresh: Placed[] = []
  for (const document of documents) {
    for (const chunk of document.chunks) {
      const old = before.get(keyOf(document.document_id, chunk.chunk_index))
      const same = old && saysTheSame(old, document, chunk)
      if (same) before.delete(keyOf(document.document_id, chunk.chunk_index))
      const one = { document, chunk, seq: same ? old.seq : next++, words: same ? old.words : 0 }
      placed.push(one)
      if (!same) fresh.push(one)
    }
  }
  const gone = [...before.values()]
  await sql`
    delete from knowledge.chunks where base = ${base.no}
      and seq in (select unnest(${numberArray(
        gone.map(({ seq }) => seq),
        'int4',
      )}))`
  await writeHeads(sql, base.no, documents, packageId)
  for (let at = 0; at < fresh.length; at += slice) {
    const some = fresh.slice(at, at + slice)
    const lengths = await addPostings(sql, base.no, some.map(indexed))
    for (const [index, one] of some.entries()) one.words = lengths[index]!
  }
  for (let at = 0; at < placed.length; at += slice) {
    await writeChunks(sql, base.no, placed.slice(at, at + slice))
  }
  await count(sql, base.no, fresh, gone)
  return [...placed, ...gone].map(({ seq }) => seq)
}

const Next = z.object({ next_seq: z.int() })
const keyOf = (documentId: string, index: number) => `${index} ${documentId}`

async function keptOf(sql: Sql, base: number, documents: readonly Prepared[]) {
  const rows = await sql.rows(Kept)`
    select document_id, chunk_index, seq, section_id, chunk.hash, words, article, title,
      chunk.metadata ->> 'heading' as heading
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base}
      and document_id in (select unnest(${textArray(documents.map(({ document_id }) => document_id))}))`
  return new Map<string, Kept>(rows.map((row) => [keyOf(row.document_id, row.chunk_index), row]))
}

const saysTheSame = (old: Kept, { title }: Prepared, chunk: PreparedChunk) =>
  old.hash === chunk.hash &&
  old.title === title &&
  old.article === chunk.article &&
  old.section_id === (chunk.section_id ?? null) &&
  (old.heading ?? '') === headingOf(chunk)

const headingOf = ({ metadata }: PreparedChunk) =>
  typeof metadata.heading === 'string' ? metadata.heading : ''

const indexed = ({ document: { title }, chunk, seq }: Placed) => ({
  seq,
  text: textOf({ ...chunk, title, heading: headingOf(chunk) }),
})
