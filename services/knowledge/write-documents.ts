import type { Sql, SqlFragment } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import { deleteDocuments } from './delete-documents.ts'
import type { Deps } from './deps.ts'
import { enqueueEmbedding } from './embed/embed-job.ts'
import { callerSuppliedModel, saveVectors } from './embed/vectors.ts'
import { closeEditions, loadLaws } from './law/close-editions.ts'
import { lockBase, type WriteOrigin } from './lock-base.ts'
import type { PreparedDocument } from './prepare.ts'
import { enqueueChunks } from './qdrant/change-queue.ts'
import { replaceDocuments } from './replace-documents.ts'
import { enqueueMerge } from './search/index/merge-job.ts'

/** Deletes documents of a base and enqueues the change for every index. */
export async function removeDocuments(
  { qdrant }: Pick<Deps, 'qdrant'>,
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  which: SqlFragment,
  origin: WriteOrigin = 'tenant',
) {
  // Locked before the laws are read, since another write may change them.
  await lockBase(sql, base.no, origin)
  const laws = await loadLaws(sql, base.no, which)
  const { documents, seqs } = await deleteDocuments(sql, base.no, which, origin)
  const closed = await closeEditions(sql, base.no, laws)
  await enqueueMerge(sql, base.no)
  if (qdrant) await enqueueChunks(sql, base.no, [...seqs, ...closed])
  return { documents, chunks: seqs.length }
}

/** Writes documents and enqueues their indexing; true if some of it is still pending. */
export async function writeDocuments(
  { embedder, qdrant }: Pick<Deps, 'embedder' | 'qdrant'>,
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  documents: readonly PreparedDocument[],
  origin: WriteOrigin = 'tenant',
): Promise<boolean> {
  const { seqs, laws } = await replaceDocuments(sql, base.no, documents, origin)
  const closed = await closeEditions(sql, base.no, laws)
  if (qdrant) await enqueueChunks(sql, base.no, [...new Set([...seqs, ...closed])])
  const chunks = documents.flatMap((document) => document.chunks)
  const withVectors = chunks.flatMap(({ hash, embedding }) =>
    embedding ? [{ hash, vector: embedding }] : [],
  )
  await saveVectors(sql, embedder?.model ?? callerSuppliedModel, withVectors)
  await enqueueMerge(sql, base.no)
  const pending = embedder !== undefined && withVectors.length < chunks.length
  if (pending) await enqueueEmbedding(sql, base.no, embedder.model)
  return pending || qdrant !== undefined
}
