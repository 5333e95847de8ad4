import type { Sql } from '../../_kit/sql/sql.ts'
import type { LockedBase, LockedShard } from '../lock-base.ts'
import { indexAgain, loadTexts } from '../reindex.ts'

/**
 * Moves a locked base to another shard, in the caller's transaction: its chunks get new sequence numbers there.
 * Returns these by the former ones. A search that sees both shards runs again.
 */
export async function moveBase(
  sql: Sql,
  base: LockedBase,
  target: LockedShard,
): Promise<ReadonlyMap<number, number>> {
  const { no, shard } = base
  if (!shard) {
    await sql`update knowledge.bases set shard = ${target.no} where no = ${no}`
    return new Map()
  }
  const chunks = await loadTexts(sql, no)
  // Frees the numbers, which the base may get again in the other shard.
  await sql`update knowledge.chunks set seq = -1 - seq where base = ${no}`
  await sql`delete from knowledge.seq_ranges where base = ${no}`
  const again = chunks.map((chunk) => ({ ...chunk, seq: -1 - chunk.seq }))
  const indexed = await indexAgain(sql, no, target, again)
  await sql`
    update knowledge.bases set shard = ${target.no}, version = version + 1, index_behind = true
    where no = ${no}`
  await sql`
    update knowledge.shards set next_seq = next_seq + ${indexed.length},
      added_since_merge = added_since_merge + ${indexed.length}
    where no = ${target.no}`
  target.next_seq += indexed.length
  await leaveShard(sql, shard.no)
  return new Map(indexed.map(({ seq, next }) => [-1 - seq, next]))
}

/**
 * Ends the membership of a base in a locked shard, in the caller's transaction. A merge that runs is fenced off,
 * because it knows the base; the last base takes the shard with it.
 */
export async function leaveShard(sql: Sql, shard: number, purge = false) {
  await sql`
    update knowledge.shards set layout = layout + 1, merge_run = merge_run + 1, purge = purge or ${purge}
    where no = ${shard}`
  const bases = await sql`select from knowledge.bases where shard = ${shard} limit 1`
  if (bases.length === 0) await sql`delete from knowledge.shards where no = ${shard}`
  return bases.length > 0
}
