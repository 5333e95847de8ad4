import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueIndexing } from './change-queue.ts'
import { aliasTarget } from './client.ts'
import { countPoints } from './collection.ts'
import { claimActiveIndex, loadCollections } from './collections.ts'
import { repair } from './repair.ts'

const QueueState = z.object({ chunks: z.int(), pending: z.boolean() })

/** Compares the number of points at every sweep and all fingerprints once an hour. */
export async function checkQdrant(context: ServiceContext<Deps>): Promise<void> {
  const { sql, qdrant, kit } = context
  if (!qdrant) return
  try {
    await claimActiveIndex(context, qdrant)
    const [index] = await loadCollections(sql)
    if (index && index.model !== (context.embedder?.model ?? null)) {
      const { collection, model } = index
      const what =
        'collection was built with another embedding model; set KNOWLEDGE_SEARCH_INDEX to a new name'
      kit.log.warn({ collection, model }, what)
    }
    const searched = await aliasTarget(qdrant.client, qdrant.alias)
    const state = await sql.row(QueueState)`
      select count(*) as chunks, exists (select from knowledge.index_changes) as pending
      from knowledge.chunks`
    if (!index || state!.pending || searched !== index.collection) {
      await enqueueIndexing(sql)
      return
    }
    const differs = (await countPoints(qdrant.client, index.collection)) !== state!.chunks
    if (differs || (await isDue(sql, index.collection))) {
      await enqueue(sql, 'knowledge', { kind: 'repair', key: 'repair' })
    }
  } catch (thrown) {
    kit.log.warn(errorFields(thrown), 'qdrant check failed')
  }
}

/** True once an hour for one replica. */
const isDue = async (sql: Sql, collection: string) =>
  (
    await sql`
      update knowledge.indexes set checked_at = now() where collection = ${collection}
        and (checked_at is null or checked_at < now() - interval '1 hour') returning collection`
  ).length > 0

/** Job that enqueues the chunks that differ. */
export async function repairQdrant(
  { sql, qdrant, kit }: ServiceContext<Deps>,
  _: unknown,
  job: JobContext,
) {
  if (!qdrant) return
  const [index] = await loadCollections(sql)
  if (!index) return
  const differing = await repair(sql, qdrant.client, index, job.signal)
  if (differing.length === 0) return
  kit.metrics.count('search_engine_points_mended_total', {}, differing.length)
  kit.log.warn({ points: differing.length }, 'qdrant differed from the database')
}
