import type { fragment, Sql } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import type { Deps } from './deps.ts'
import { enqueueEmbedding } from './embed/embed-job.ts'
import { givenModel, keepVectors } from './embed/vectors.ts'
import type { Prepared } from './prepared.ts'
import { pend } from './qdrant/pending.ts'
import { remove } from './remove.ts'
import { enqueueOrdering } from './search/order-job.ts'
import { replace } from './store.ts'

/** Takes documents out of a base, and out of whatever else knows them. */
export async function take(
  { engine }: Pick<Deps, 'engine'>,
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  which: ReturnType<typeof fragment>,
) {
  const { documents, seqs } = await remove(sql, base, which)
  await enqueueOrdering(sql, base.no)
  if (engine) await pend(sql, base.no, seqs)
  return { documents, chunks: seqs.length }
}

/** Writes documents and has them indexed; true where some of that is still to come. */
export async function write(
  { embedder, engine }: Pick<Deps, 'embedder' | 'engine'>,
  sql: Sql,
  base: Pick<BaseRow, 'no'>,
  documents: readonly Prepared[],
  packageId: string | null = null,
): Promise<boolean> {
  const touched = await replace(sql, base, documents, packageId)
  if (engine) await pend(sql, base.no, touched)
  const chunks = documents.flatMap((document) => document.chunks)
  const withVectors = chunks.flatMap(({ hash, embedding }) =>
    embedding ? [{ hash, vector: embedding }] : [],
  )
  await keepVectors(sql, embedder?.model ?? givenModel, withVectors)
  await enqueueOrdering(sql, base.no)
  const waits = embedder !== undefined && withVectors.length < chunks.length
  if (waits) await enqueueEmbedding(sql, base.no, embedder.model)
  return waits || engine !== undefined
}
