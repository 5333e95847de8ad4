import { json, type Sql } from '../_kit/sql/sql.ts'
import type { PreparedChunk, PreparedDocument } from './prepare.ts'
import { citationTerm, termId } from './search/index/terms.ts'

/** A chunk with its sequence number and length. */
export interface IndexedChunk {
  document: PreparedDocument
  chunk: PreparedChunk
  seq: number
  words: number
}

export const writeDocumentRows = (
  sql: Sql,
  base: number,
  documents: readonly PreparedDocument[],
  packageId: string | null,
) => sql`
  insert into knowledge.documents
    (base, document_id, file_id, doc_type, title, metadata, sections, law_keys,
    law_terms, hash, package_id, law, law_status, in_force_from, declared_to, in_force_to, repeals)
  select ${base}::int, document_id, file_id, doc_type, title, metadata, sections,
    array(select jsonb_array_elements_text(law_keys)),
    array(select jsonb_array_elements(law_terms)::int), hash, ${packageId}::text,
    law, law_status, in_force_from, declared_to, declared_to,
    array(select jsonb_array_elements_text(repeals))
  from jsonb_to_recordset(${json(
    documents.map(
      ({ document_id, file_id, doc_type, title, metadata, sections, hash, ...prepared }) => ({
        ...{ document_id, file_id, doc_type, title, metadata, sections, hash },
        law_keys: prepared.lawKeys,
        law_terms: prepared.lawKeys.map((key) => termId(citationTerm(key))),
        law: prepared.law,
        law_status: prepared.edition?.status,
        in_force_from: prepared.from,
        declared_to: prepared.to,
        repeals: prepared.repeals,
      }),
    ),
  )}) as given (document_id text, file_id text, doc_type text, title text, metadata jsonb,
    sections jsonb, law_keys jsonb, law_terms jsonb, hash text,
    law text, law_status text, in_force_from date, declared_to date, repeals jsonb)
  on conflict (base, document_id) do update set file_id = excluded.file_id,
    doc_type = excluded.doc_type, title = excluded.title, metadata = excluded.metadata,
    sections = excluded.sections, law_keys = excluded.law_keys, law_terms = excluded.law_terms,
    hash = excluded.hash, law = excluded.law, law_status = excluded.law_status,
    in_force_from = excluded.in_force_from, declared_to = excluded.declared_to,
    in_force_to = excluded.in_force_to, repeals = excluded.repeals,
    package_id = excluded.package_id, updated_at = now()`

/** Inserts the rows of new chunks. No row is checked for a conflict. */
export const insertChunkRows = (sql: Sql, base: number, chunks: readonly IndexedChunk[]) => sql`
  insert into knowledge.chunks (base, seq, document_id, chunk_index, section_id, content, metadata,
    hash, words, article, in_force_from, in_force_to)
  select ${base}::int, * from jsonb_to_recordset(${json(chunks.map(toChunkRow))}) as given
    (seq int, document_id text, chunk_index int, section_id text, content text, metadata jsonb,
    hash text, words int, article text, in_force_from date, in_force_to date)`

/** Updates the columns of unchanged chunks that are no part of their content. */
export const updateChunkRows = (sql: Sql, base: number, chunks: readonly IndexedChunk[]) => sql`
  update knowledge.chunks chunk set metadata = given.metadata, article = given.article,
    in_force_from = given.in_force_from, in_force_to = given.in_force_to
  from jsonb_to_recordset(${json(chunks.map(toChunkRow))}) as given
    (seq int, metadata jsonb, article text, in_force_from date, in_force_to date)
  where chunk.base = ${base} and chunk.seq = given.seq`

const toChunkRow = ({ document, chunk, seq, words }: IndexedChunk) => ({
  seq,
  document_id: document.document_id,
  chunk_index: chunk.chunk_index,
  section_id: chunk.section_id,
  content: chunk.content,
  metadata: chunk.metadata,
  hash: chunk.hash,
  words,
  article: chunk.article,
  in_force_from: chunk.from,
  in_force_to: chunk.to,
})

const totalWords = (chunks: readonly { words: number }[]) =>
  chunks.reduce((sum, { words }) => sum + words, 0)

/** Updates the counters of a base and its shard, by which searches rank and invalidate caches. */
export const updateCounters = (
  sql: Sql,
  base: number,
  shard: number | undefined,
  added: readonly { words: number }[],
  deleted: readonly { words: number }[],
) => sql`
  with counted as (
    update knowledge.shards set next_seq = next_seq + ${added.length},
      added_since_merge = added_since_merge + ${added.length},
      delete_generation = delete_generation + ${deleted.length}
    where no = ${shard ?? null})
  update knowledge.bases set version = version + 1,
    chunks = chunks + ${added.length - deleted.length},
    words = words + ${totalWords(added) - totalWords(deleted)}, updated_at = now()
  where no = ${base}`
