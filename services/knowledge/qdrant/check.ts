import * as z from 'zod'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { aliased } from './client.ts'
import { countIn } from './collection.ts'
import { mend } from './compare.ts'
import { choose, indexesOf } from './indexes.ts'
import { enqueueIndexing } from './pending.ts'

const State = z.object({ chunks: z.int(), pending: z.boolean() })

/** Sees that the engine holds what the database does: how much at every sweep, and all of it now and then. */
export async function checkIndex(given: ServiceContext<Deps>): Promise<void> {
  const { sql, engine, kit } = given
  if (!engine) return
  try {
    await choose(given, engine)
    const [index] = await indexesOf(sql)
    if (index && index.model !== (given.embedder?.model ?? null)) {
      const { collection, model } = index
      const what =
        'the index holds vectors of another model; KNOWLEDGE_SEARCH_INDEX wants a new name'
      kit.log.warn({ collection, model }, what)
    }
    const searched = await aliased(engine.qdrant, engine.alias)
    const state = await sql.row(State)`
      select count(*) as chunks, exists (select from knowledge.pending) as pending
      from knowledge.chunks`
    if (!index || state!.pending || searched !== index.collection) {
      await enqueueIndexing(sql)
      return
    }
    const differs = (await countIn(engine.qdrant, index.collection)) !== state!.chunks
    if (differs || (await isDue(sql, index.collection))) {
      await enqueue(sql, 'knowledge', { kind: 'mend', key: 'mend' })
    }
  } catch (thrown) {
    kit.log.warn(errorFields(thrown), 'the search engine could not be checked')
  }
}

/** Once an hour, by whoever comes first. */
const isDue = async (sql: Sql, collection: string) =>
  (
    await sql`
      update knowledge.indexes set checked_at = now() where collection = ${collection}
        and (checked_at is null or checked_at < now() - interval '1 hour') returning collection`
  ).length > 0

/** The job: what differs is told again. */
export async function mendIndex(
  { sql, engine, kit }: ServiceContext<Deps>,
  _: unknown,
  job: JobContext,
) {
  if (!engine) return
  const [index] = await indexesOf(sql)
  if (!index) return
  const odd = await mend(sql, engine.qdrant, index, job.signal)
  if (odd.length === 0) return
  kit.metrics.count('search_engine_points_mended_total', {}, odd.length)
  kit.log.warn({ points: odd.length }, 'the search engine differed from the database')
}
