import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import { indexedText } from './indexed-text.ts'
import { lockBase, type WriteOrigin } from './lock-base.ts'
import type { PreparedChunk, PreparedDocument } from './prepare.ts'
import { maxSeq } from './search/index/posting-list.ts'
import { addSegment } from './search/index/segment.ts'
import {
  type IndexedChunk,
  updateCounters,
  writeChunkRows,
  writeDocumentRows,
} from './write-rows.ts'

const StoredChunk = z.object({
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
type StoredChunk = z.infer<typeof StoredChunk>

const batchSize = 1_000

/**
 * Replaces documents of a base in the caller's transaction. A chunk with the same content at the same
 * position keeps its sequence number. Returns the sequence numbers of changed chunks.
 */
export async function replaceDocuments(
  sql: Sql,
  base: number,
  documents: readonly PreparedDocument[],
  origin: WriteOrigin = 'tenant',
): Promise<number[]> {
  // Locks the base: sequence numbers are assigned in order.
  let next = (await lockBase(sql, base, origin)).next_seq
  const stored = await loadStoredChunks(sql, base, documents)
  const chunks: IndexedChunk[] = []
  const added: IndexedChunk[] = []
  for (const document of documents) {
    for (const chunk of document.chunks) {
      const existing = stored.get(chunkKey(document.document_id, chunk.chunk_index))
      const same = existing && isUnchanged(existing, document, chunk)
      if (same) stored.delete(chunkKey(document.document_id, chunk.chunk_index))
      const indexed = {
        document,
        chunk,
        seq: same ? existing.seq : next++,
        words: same ? existing.words : 0,
      }
      chunks.push(indexed)
      if (!same) added.push(indexed)
    }
  }
  if (next > maxSeq) throw new Fault('CONFLICT', 'The base is full: create another one.')
  const deleted = [...stored.values()]
  await sql`
    delete from knowledge.chunks where base = ${base}
      and seq in (select unnest(${numberArray(
        deleted.map(({ seq }) => seq),
        'int4',
      )}))`
  await writeDocumentRows(sql, base, documents, origin === 'tenant' ? null : origin.packageId)
  const lengths = await addSegment(sql, base, added.map(toChunkText))
  for (const [index, indexed] of added.entries()) indexed.words = lengths[index]!
  for (let at = 0; at < chunks.length; at += batchSize) {
    await writeChunkRows(sql, base, chunks.slice(at, at + batchSize))
  }
  await updateCounters(sql, base, added, deleted)
  return [...chunks, ...deleted].map(({ seq }) => seq)
}

const chunkKey = (documentId: string, index: number) => `${index} ${documentId}`

async function loadStoredChunks(sql: Sql, base: number, documents: readonly PreparedDocument[]) {
  const rows = await sql.rows(StoredChunk)`
    select document_id, chunk_index, seq, section_id, chunk.hash, words, article, title,
      chunk.metadata ->> 'heading' as heading
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base}
      and document_id in (select unnest(${textArray(documents.map(({ document_id }) => document_id))}))`
  return new Map<string, StoredChunk>(
    rows.map((row) => [chunkKey(row.document_id, row.chunk_index), row]),
  )
}

const isUnchanged = (existing: StoredChunk, { title }: PreparedDocument, chunk: PreparedChunk) =>
  existing.hash === chunk.hash &&
  existing.title === title &&
  existing.article === chunk.article &&
  existing.section_id === (chunk.section_id ?? null) &&
  (existing.heading ?? '') === chunkHeading(chunk)

const chunkHeading = ({ metadata }: PreparedChunk) =>
  typeof metadata.heading === 'string' ? metadata.heading : ''

const toChunkText = ({ document: { title }, chunk, seq }: IndexedChunk) => ({
  seq,
  text: indexedText({ ...chunk, title, heading: chunkHeading(chunk) }),
})
