import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../_kit/sql/sql.ts'
import { TimeSlice } from '../_kit/time-slice.ts'
import { indexedText } from './indexed-text.ts'
import { type LockedBase, type LockedShard, lockBase, type WriteOrigin } from './lock-base.ts'
import type { PreparedChunk, PreparedDocument } from './prepare.ts'
import { maxSegmentChunks, SegmentBuilder, writeSegment } from './search/index/segment.ts'
import { writeSeqRange } from './search/index/seq-ranges.ts'
import { placeChunks } from './shards/place-chunks.ts'
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
  heading: z.string().nullable(),
})
type StoredChunk = z.infer<typeof StoredChunk>

const StoredDocument = z.object({
  document_id: z.string(),
  title: z.string(),
  law: z.string().nullable(),
})
type StoredDocument = z.infer<typeof StoredDocument>

interface Replacement {
  /** Sequence numbers of the changed chunks. */
  seqs: number[]
  /** Laws of which the documents were or are editions. */
  laws: string[]
}

/** Chunks per statement. */
const batchSize = 128

/**
 * Replaces documents of a base in the caller's transaction. A chunk with the same content at the same
 * position keeps its sequence number.
 */
export async function replaceDocuments(
  sql: Sql,
  base: number,
  documents: readonly PreparedDocument[],
  origin: WriteOrigin = 'tenant',
): Promise<Replacement> {
  // Sequence numbers are assigned in order, and another write may change the laws of the base.
  const locked = await lockBase(sql, base, origin)
  const replaced = await loadDocuments(sql, base, documents)
  const stored = await loadStoredChunks(sql, base, [...replaced.keys()])
  const kept: IndexedChunk[] = []
  const added: IndexedChunk[] = []
  for (const document of documents) {
    const hasSameTitle = replaced.get(document.document_id)?.title === document.title
    for (const chunk of document.chunks) {
      const key = chunkKey(document.document_id, chunk.chunk_index)
      const existing = hasSameTitle ? stored.get(key) : undefined
      const same = existing && isUnchanged(existing, chunk)
      if (same) stored.delete(key)
      if (same) kept.push({ document, chunk, seq: existing.seq, words: existing.words })
      else added.push({ document, chunk, seq: 0, words: 0 })
    }
  }
  const deleted = [...stored.values()]
  if (deleted.length > 0) await deleteChunks(sql, base, deleted)
  const { shard, moved } = await place(sql, locked, added, deleted)
  for (const chunk of kept) chunk.seq = moved.get(chunk.seq) ?? chunk.seq
  await writeDocumentRows(sql, base, documents, origin === 'tenant' ? null : origin.packageId)
  if (shard && added.length > 0) await insertChunks(sql, base, shard.no, added)
  if (kept.length > 0) await updateChunkRows(sql, base, kept)
  await updateCounters(sql, base, shard?.no, added, deleted)
  return {
    seqs: [...[...kept, ...added, ...deleted].map(({ seq }) => seq), ...[...moved].flat()],
    laws: distinctLaws([...replaced.values(), ...documents]),
  }
}

/** Finds the shard of a base and numbers its new chunks. */
async function place(
  sql: Sql,
  base: LockedBase,
  added: readonly IndexedChunk[],
  deleted: readonly StoredChunk[],
): Promise<{ shard: LockedShard | undefined; moved: ReadonlyMap<number, number> }> {
  if (added.length === 0) return { shard: base.shard, moved: new Map() }
  const total = base.chunks + added.length - deleted.length
  const placed = await placeChunks(sql, base, { added: added.length, total })
  added.forEach((chunk, index) => {
    chunk.seq = placed.shard.next_seq + index
  })
  return placed
}

const distinctLaws = (documents: readonly { law: string | null }[]) => [
  ...new Set(documents.flatMap(({ law }) => law ?? [])),
]

const deleteChunks = (sql: Sql, base: number, chunks: readonly StoredChunk[]) => sql`
  delete from knowledge.chunks where base = ${base} and seq = any(${numberArray(
    chunks.map(({ seq }) => seq),
    'int4',
  )})`

/**
 * Inserts new chunks and their segments. Extracts the terms of a batch while the database writes the batch
 * before it.
 */
async function insertChunks(
  sql: Sql,
  base: number,
  shard: number,
  chunks: readonly IndexedChunk[],
) {
  let segment = new SegmentBuilder()
  const slice = new TimeSlice()
  let written: Promise<unknown> = Promise.resolve()
  for (let at = 0; at < chunks.length; at += batchSize) {
    const batch = chunks.slice(at, at + batchSize)
    for (const indexed of batch) {
      indexed.words = segment.add(indexed.seq, toIndexedText(indexed))
      if (slice.isOver) await slice.pause()
    }
    await written
    written = insertChunkRows(sql, base, batch)
    // The next turns send the batch. Its failure is thrown where it is awaited.
    written.catch(() => {})
    await slice.pause()
    if (segment.chunks < maxSegmentChunks) continue
    await writeSegment(sql, shard, segment.build())
    segment = new SegmentBuilder()
  }
  if (segment.chunks > 0) await writeSegment(sql, shard, segment.build())
  await written
  const first_seq = chunks[0]!.seq
  await writeSeqRange(sql, shard, { first_seq, end_seq: first_seq + chunks.length, base })
}

const chunkKey = (documentId: string, index: number) => `${index} ${documentId}`

async function loadDocuments(sql: Sql, base: number, documents: readonly PreparedDocument[]) {
  const rows = await sql.rows(StoredDocument)`
    select document_id, title, law from knowledge.documents
    where base = ${base}
      and document_id = any(${textArray(documents.map(({ document_id }) => document_id))})`
  return new Map<string, StoredDocument>(rows.map((row) => [row.document_id, row]))
}

async function loadStoredChunks(sql: Sql, base: number, documentIds: readonly string[]) {
  if (documentIds.length === 0) return new Map<string, StoredChunk>()
  const rows = await sql.rows(StoredChunk)`
    select document_id, chunk_index, seq, section_id, hash, words, article,
      metadata ->> 'heading' as heading
    from knowledge.chunks where base = ${base} and document_id = any(${textArray(documentIds)})`
  return new Map<string, StoredChunk>(
    rows.map((row) => [chunkKey(row.document_id, row.chunk_index), row]),
  )
}

const isUnchanged = (existing: StoredChunk, chunk: PreparedChunk) =>
  existing.hash === chunk.hash &&
  existing.article === chunk.article &&
  existing.section_id === (chunk.section_id ?? null) &&
  (existing.heading ?? '') === chunkHeading(chunk)

const chunkHeading = ({ metadata }: PreparedChunk) =>
  typeof metadata.heading === 'string' ? metadata.heading : ''

const toIndexedText = ({ document: { title }, chunk }: IndexedChunk) =>
  indexedText({ ...chunk, title, heading: chunkHeading(chunk) })
