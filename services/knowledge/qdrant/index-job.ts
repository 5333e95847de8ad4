import type { JobContext } from '../../_kit/jobs.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Given } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { changeOf } from './change.ts'
import { exists } from './client.ts'
import { create, takeOver, targets, tell } from './collection.ts'
import type { Engine } from './engine.ts'
import { enqueueIndexing, pendAll, pendingSome, settled } from './pending.ts'

/** Places that are told at a time, and how soon it is tried again when the engine is away. */
const atOnce = 128
const againMs = 2_000

/** Tells the engine what is pending, however long the engine is away: the job starts itself again. */
export async function indexPending(given: Given<Deps>, _: unknown, job: JobContext) {
  const { sql, engine, kit } = given
  if (!engine) return
  try {
    await drain(given, engine, job)
  } catch (thrown) {
    kit.metrics.count('search_engine_indexing_failures_total', {})
    kit.log.warn(errorFields(thrown), 'indexing has to wait')
    await enqueueIndexing(sql, againMs)
  }
}

async function drain({ sql, embedder }: Given<Deps>, engine: Engine, job: JobContext) {
  if (!(await exists(engine.qdrant, engine.collection))) {
    // All of it is pending before the collection is there: one that is not full is never taken for full.
    await pendAll(sql)
    await create(engine, embedder)
  }
  const collections = await targets(engine)
  for (;;) {
    job.signal.throwIfAborted()
    const some = await pendingSome(sql, atOnce)
    const change = await changeOf(sql, some, embedder?.model)
    for (const collection of collections) await tell(engine.qdrant, collection, change)
    await settled(sql, some)
    if (some.length < atOnce) break
  }
  await takeOver(engine)
}
