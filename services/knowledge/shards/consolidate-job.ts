import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { lockBaseIfExists } from '../lock-base.ts'
import { enqueueChunks } from '../qdrant/change-queue.ts'
import { enqueueMerge } from '../search/index/merge-job.ts'
import { moveBase } from './move-base.ts'
import { lockOpenShard, maxSharedChunks } from './place-chunks.ts'

/** Chunks up to which a base moves to a shared shard. Less than where it leaves one, so that none oscillates. */
const maxChunks = (3 / 4) * maxSharedChunks
/** Bases per statement. */
const batchSize = 100

const BaseNo = z.object({ no: z.int() })

/** Bases that have a shard for themselves and are small enough to share one. */
const loadSeparate = (sql: Sql, limit: number) => sql.rows(BaseNo)`
  select base.no from knowledge.bases base join knowledge.shards shard on shard.no = base.shard
  where not shared and base.chunks <= ${maxChunks} order by base.no limit ${limit}`

/** Enqueues the job if there is a base to move: after an upgrade, or after many deletions in a large base. */
export async function enqueueConsolidation(sql: Sql) {
  const separate = await loadSeparate(sql, 1)
  if (separate.length > 0) await enqueue(sql, 'knowledge', { kind: 'consolidate', key: 'all' })
}

/** Moves small bases into shared shards, one base per transaction. An interrupted run is resumed by the next. */
export async function consolidateShards(
  { sql, qdrant }: ServiceContext<Deps>,
  _: unknown,
  { signal }: JobContext,
) {
  for (;;) {
    const bases = await loadSeparate(sql, batchSize)
    if (bases.length === 0) return
    for (const { no } of bases) {
      signal.throwIfAborted()
      await sql.transaction(async (sql) => {
        const moved = await shareShard(sql, no)
        if (qdrant) await enqueueChunks(sql, no, moved)
        await enqueueMerge(sql, no)
      })
    }
  }
}

/** Moves a base to a shared shard, or opens its own shard for others. Returns the numbers whose chunk changed. */
async function shareShard(sql: Sql, no: number): Promise<number[]> {
  const base = await lockBaseIfExists(sql, no)
  if (!base?.shard || base.shard.shared || base.chunks > maxChunks) return []
  const open = await lockOpenShard(sql, base.organization_id)
  if (open) return [...(await moveBase(sql, base, open))].flat()
  await sql`update knowledge.shards set shared = true where no = ${base.shard.no}`
  return []
}
