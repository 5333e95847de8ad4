import type { Sql } from '../../_kit/sql/sql.ts'
import { type ChunkRef, enqueueWhere, refsTable, withoutQueued } from './change-queue.ts'
import type { QdrantClient } from './client.ts'
import { readFingerprints, scrollFingerprints } from './collection.ts'
import type { QdrantCollection } from './collections.ts'
import { fingerprintsAt, fingerprintsBetween } from './fingerprint.ts'
import { endRef, toChunkRef } from './point.ts'

const batchSize = 5_000

/** Compares a collection with the database, enqueues the chunks that differ and returns them. */
export async function repair(
  sql: Sql,
  qdrant: QdrantClient,
  index: QdrantCollection,
  signal?: AbortSignal,
): Promise<ChunkRef[]> {
  const all: ChunkRef[] = []
  let from = 0
  for (let next: number | undefined = 0; next !== undefined; ) {
    signal?.throwIfAborted()
    const page = await scrollFingerprints(qdrant, index.collection, from, batchSize)
    next = page.next
    const to = next === undefined ? endRef : toChunkRef(next)
    const inDatabase = await fingerprintsBetween(sql, index, toChunkRef(from), to)
    const differing = await confirmDifferences(
      sql,
      qdrant,
      index,
      findDifferences(inDatabase, page.marks),
    )
    if (differing.length > 0) await enqueueWhere(sql, refsTable(differing), index.collection)
    all.push(...differing)
    from = next ?? 0
  }
  return all
}

function findDifferences(
  inDatabase: ReadonlyMap<number, string>,
  inQdrant: ReadonlyMap<number, string>,
) {
  const differing = [...inDatabase]
    .filter(([id, fingerprint]) => inQdrant.get(id) !== fingerprint)
    .map(([id]) => id)
  for (const id of inQdrant.keys()) if (!inDatabase.has(id)) differing.push(id)
  return differing
}

/** Keeps differences that are still there on a second read and are not queued. */
async function confirmDifferences(
  sql: Sql,
  qdrant: QdrantClient,
  index: QdrantCollection,
  ids: readonly number[],
) {
  const differing: ChunkRef[] = []
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = ids.slice(at, at + batchSize)
    const inQdrant = await readFingerprints(qdrant, index.collection, batch)
    const inDatabase = await fingerprintsAt(sql, index, batch.map(toChunkRef))
    const different = batch.filter((id) => inDatabase.get(id) !== inQdrant.get(id)).map(toChunkRef)
    differing.push(...(await withoutQueued(sql, index.collection, different)))
  }
  return differing
}
