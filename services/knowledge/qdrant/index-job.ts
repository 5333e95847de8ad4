import type { ServiceContext } from '../../_kit/context.ts'
import type { JobContext } from '../../_kit/jobs.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'
import { isOnlyRunning } from '../jobs/only-running.ts'
import { buildChange } from './change.ts'
import { acknowledge, endCatchUp, enqueueIndexing, nextBatch } from './change-queue.ts'
import { aliasTarget } from './client.ts'
import { applyChange, createCollection, switchAlias } from './collection.ts'
import {
  claimActiveIndex,
  dropRetired,
  enqueueBackfill,
  isEmbedded,
  loadCollections,
  type RegisteredCollection,
  retireAllBut,
} from './collections.ts'
import { pointId } from './point.ts'
import { repair } from './repair.ts'
import type { QdrantSearch } from './search-qdrant.ts'

/** Changes per batch, and the delay of a retry. */
const batchSize = 128
const retryMs = 2_000

/** Delivers queued changes to Qdrant. Re-enqueues itself for as long as Qdrant is unavailable. */
export async function deliverChanges(context: ServiceContext<Deps>, _: unknown, job: JobContext) {
  const { sql, qdrant, kit } = context
  if (!qdrant) return
  try {
    const more = (await isOnlyRunning(sql, 'index', job))
      ? await deliverToAll(context, qdrant, job)
      : true
    if (more) await enqueueIndexing(sql, retryMs)
  } catch (thrown) {
    kit.metrics.count('search_engine_indexing_failures_total', {})
    kit.log.warn(errorFields(thrown), 'qdrant indexing failed, retrying')
    await enqueueIndexing(sql, retryMs)
  }
}

/** True if another run is needed. */
async function deliverToAll(
  context: ServiceContext<Deps>,
  qdrant: QdrantSearch,
  job: JobContext,
): Promise<boolean> {
  const { sql } = context
  if (!qdrant.claimed) await claimActiveIndex(context, qdrant)
  const indexes = await loadCollections(sql)
  const [first] = indexes
  if (!first) return false
  const searched = await aliasTarget(qdrant.client, qdrant.alias)
  // Checked before the delivery: vectors that exist now are in the queue. The first collection may be
  // searched without vectors, as the database is.
  const isNext = searched !== undefined && searched !== first.collection
  const ready = !isNext || (await isEmbedded(sql, first))
  const rejected = new Set<number>()
  for (const index of indexes) {
    for (const id of await deliver(context, qdrant, index, job)) rejected.add(id)
  }
  await endCatchUp(sql)
  if (searched !== first.collection) {
    if (!ready) return true
    const differing = await repair(sql, qdrant.client, first, job.signal)
    if (differing.some(({ base, seq }) => !rejected.has(pointId(base, seq)))) return true
    await switchAlias(qdrant, searched, first)
  }
  if (indexes.length > 1) {
    await retireAllBut(sql, first)
    await enqueue(sql, 'knowledge', { kind: 'index', key: 'retired', delayMs: 65_000 })
  }
  await dropRetired(sql, qdrant)
  return false
}

/** Creates a missing collection and delivers its queue; returns the ids of rejected points. */
async function deliver(
  { sql, kit }: ServiceContext<Deps>,
  { client: qdrant }: QdrantSearch,
  index: RegisteredCollection,
  job: JobContext,
): Promise<number[]> {
  const { collection } = index
  const { exists } = await qdrant.background.collectionExists(collection)
  if (!exists) {
    // Enqueues all chunks before the collection exists, so that a partial one is never taken for complete.
    await enqueueBackfill(sql, index)
    await createCollection(qdrant, index)
  } else if (!index.backfilled) await enqueueBackfill(sql, index)
  const all: number[] = []
  for (;;) {
    job.signal.throwIfAborted()
    const batch = await nextBatch(sql, collection, batchSize)
    const rejected = await applyChange(qdrant, collection, await buildChange(sql, batch, index))
    await acknowledge(sql, collection, batch)
    if (rejected.length > 0) {
      kit.metrics.count('search_engine_points_refused_total', {}, rejected.length)
      kit.log.error({ collection, refused: rejected.slice(0, 10) }, 'qdrant rejected points')
      all.push(...rejected)
    }
    if (batch.length < batchSize) return all
  }
}
