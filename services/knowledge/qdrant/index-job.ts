import type { JobContext } from '../../_kit/jobs.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { isAlone } from '../jobs/alone.ts'
import { changeOf } from './change.ts'
import { aliased, exists } from './client.ts'
import { create, leadTo, tell } from './collection.ts'
import { mend } from './compare.ts'
import type { Engine } from './engine.ts'
import {
  choose,
  dropRetired,
  indexesOf,
  isEmbedded,
  type ListedIndex,
  listAll,
  retireAllBut,
} from './indexes.ts'
import { enqueueIndexing, pendingSome, settled } from './pending.ts'
import { pointId } from './point.ts'

/** Places that are told at a time, and how soon it is tried again when the engine is away. */
const atOnce = 128
const againMs = 2_000

/** Tells the engine what is pending, however long the engine is away: the job starts itself again. */
export async function indexPending(given: ServiceContext<Deps>, _: unknown, job: JobContext) {
  const { sql, engine, kit } = given
  if (!engine) return
  try {
    const more = (await isAlone(sql, 'index', job)) ? await indexAll(given, engine, job) : true
    if (more) await enqueueIndexing(sql, againMs)
  } catch (thrown) {
    kit.metrics.count('search_engine_indexing_failures_total', {})
    kit.log.warn(errorFields(thrown), 'indexing has to wait')
    await enqueueIndexing(sql, againMs)
  }
}

/** True where something is left for later. */
async function indexAll(
  given: ServiceContext<Deps>,
  engine: Engine,
  job: JobContext,
): Promise<boolean> {
  const { sql } = given
  if (!engine.chosen) await choose(given, engine)
  const indexes = await indexesOf(sql)
  const [first] = indexes
  if (!first) return false
  const searched = await aliased(engine.qdrant, engine.alias)
  // Asked before the list is told: what was embedded by now is on it. Without a collection before it,
  // it need know no more than the database does.
  const isNext = searched !== undefined && searched !== first.collection
  const ready = !isNext || (await isEmbedded(sql, first))
  const refused = new Set<number>()
  for (const index of indexes) {
    for (const id of await drain(given, engine, index, job)) refused.add(id)
  }
  if (searched !== first.collection) {
    if (!ready) return true
    const odd = await mend(sql, engine.qdrant, first, job.signal)
    if (odd.some(({ base, seq }) => !refused.has(pointId(base, seq)))) return true
    await leadTo(engine, searched, first)
  }
  if (indexes.length > 1) {
    await retireAllBut(sql, first)
    await enqueue(sql, 'knowledge', { kind: 'index', key: 'retired', delayMs: 65_000 })
  }
  await dropRetired(sql, engine)
  return false
}

/** Tells a collection what is on its list, and makes it where it is not there; says which points it refused. */
async function drain(
  { sql, kit }: ServiceContext<Deps>,
  { qdrant }: Engine,
  index: ListedIndex,
  job: JobContext,
): Promise<number[]> {
  const { collection } = index
  if (!(await exists(qdrant, collection))) {
    // All of it is pending before the collection is there: one that is not full is never taken for full.
    await listAll(sql, index)
    await create(qdrant, index)
  } else if (!index.listed) await listAll(sql, index)
  const all: number[] = []
  for (;;) {
    job.signal.throwIfAborted()
    const some = await pendingSome(sql, collection, atOnce)
    const refused = await tell(qdrant, collection, await changeOf(sql, some, index))
    await settled(sql, collection, some)
    if (refused.length > 0) {
      kit.metrics.count('search_engine_points_refused_total', {}, refused.length)
      kit.log.error(
        { collection, refused: refused.slice(0, 10) },
        'the search engine refused points',
      )
      all.push(...refused)
    }
    if (some.length < atOnce) return all
  }
}
