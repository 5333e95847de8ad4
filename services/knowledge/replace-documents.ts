import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import { TimeSlice } from '../_kit/time-slice.ts'
import { indexedText } from './indexed-text.ts'
import { lockBase, requireSeqs, type WriteOrigin } from './lock-base.ts'
import type { PreparedChunk, PreparedDocument } from './prepare.ts'
import { maxSegmentChunks, SegmentBuilder, writeSegment } from './search/index/segment.ts'
import {
  type IndexedChunk,
  insertChunkRows,
  updateChunkRows,
  updateCounters,
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

/** Chunks per statement. */
const batchSize = 128

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
  const kept: IndexedChunk[] = []
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
      if (same) kept.push(indexed)
      else added.push(indexed)
    }
  }
  requireSeqs(next)
  const deleted = [...stored.values()]
  if (deleted.length > 0) await deleteChunks(sql, base, deleted)
  await writeDocumentRows(sql, base, documents, origin === 'tenant' ? null : origin.packageId)
  await insertChunks(sql, base, added)
  if (kept.length > 0) await updateChunkRows(sql, base, kept)
  await updateCounters(sql, base, added, deleted)
  return [...kept, ...added, ...deleted].map(({ seq }) => seq)
}

const deleteChunks = (sql: Sql, base: number, chunks: readonly StoredChunk[]) => sql`
  delete from knowledge.chunks where base = ${base} and seq = any(${numberArray(
    chunks.map(({ seq }) => seq),
    'int4',
  )})`

/**
 * Inserts new chunks and their segments. Extracts the terms of a batch while the database writes the batch
 * before it.
 */
async function insertChunks(sql: Sql, base: number, chunks: readonly IndexedChunk[]) {
  let segment = new SegmentBuilder()
  const slice = new TimeSlice()
  let written: Promise<unknown> = Promise.resolve()
  for (let at = 0; at < chunks.length; at += batchSize) {
    const batch = chunks.slice(at, at + batchSize)
    for (const indexed of batch) {
      indexed.words = segment.add(indexed.seq, toIndexedText(indexed))
    }
    await written
    written = insertChunkRows(sql, base, batch)
    // The next turn sends the batch. Its failure is thrown where it is awaited.
    written.catch(() => {})
    await slice.pause()
    if (segment.chunks < maxSegmentChunks) continue
    await writeSegment(sql, base, segment.build())
    segment = new SegmentBuilder()
  }
  if (segment.chunks > 0) await writeSegment(sql, base, segment.build())
  await written
}

const chunkKey = (documentId: string, index: number) => `${index} ${documentId}`

async function loadStoredChunks(sql: Sql, base: number, documents: readonly PreparedDocument[]) {
  const rows = await sql.rows(StoredChunk)`
    select document_id, chunk_index, seq, section_id, chunk.hash, words, article, title,
      chunk.metadata ->> 'heading' as heading
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    where base = ${base}
      and document_id = any(${textArray(documents.map(({ document_id }) => document_id))})`
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

const toIndexedText = ({ document: { title }, chunk }: IndexedChunk) =>
  indexedText({ ...chunk, title, heading: chunkHeading(chunk) })
