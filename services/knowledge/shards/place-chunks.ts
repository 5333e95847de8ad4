import { fragment, type Sql } from '../../_kit/sql/sql.ts'
import { type LockedBase, LockedShard, requireSeqs } from '../lock-base.ts'
import { moveBase } from './move-base.ts'

/** A base with more chunks than this has a shard of its own. */
export const maxSharedChunks = 4_096
/** A shared shard accepts further bases below this number of sequence numbers: one block of postings. */
const openBelow = 16_384
/** A shared shard accepts further chunks of its bases up to this number. */
const fullAt = 65_536

interface Placement {
  shard: LockedShard
  /** New sequence numbers of the base's chunks by their former ones, if the base was moved. */
  moved: ReadonlyMap<number, number>
}

/**
 * Finds the shard for new chunks of a locked base, in the caller's transaction. Moves the base if it becomes too
 * large to share a shard, or if its shard is full: at most `maxSharedChunks` chunks.
 */
export async function placeChunks(
  sql: Sql,
  base: LockedBase,
  { added, total }: { added: number; total: number },
): Promise<Placement> {
  const { shard, organization_id } = base
  const isLarge = total > maxSharedChunks
  if (shard && (await staysIn(sql, shard, added, isLarge))) {
    requireSeqs(shard.next_seq + added)
    return { shard, moved: new Map() }
  }
  const target = isLarge
    ? await createShard(sql, organization_id, false)
    : ((await lockOpenShard(sql, organization_id)) ??
      (await createShard(sql, organization_id, true)))
  return { shard: target, moved: await moveBase(sql, base, target) }
}

async function staysIn(sql: Sql, shard: LockedShard, added: number, isLarge: boolean) {
  if (!shard.shared) return true
  if (!isLarge && shard.next_seq + added <= fullAt) return true
  const bases = await sql`select from knowledge.bases where shard = ${shard.no} limit 2`
  if (bases.length > 1) return false
  if (isLarge) await sql`update knowledge.shards set shared = false where no = ${shard.no}`
  return true
}

/**
 * Locks a shared shard of an organization that accepts bases; undefined if there is none. Those that other
 * writers have locked are skipped: waiting for one could end in a deadlock.
 */
export function lockOpenShard(sql: Sql, organization: string | null) {
  const isOwn =
    organization === null
      ? fragment`organization_id is null`
      : fragment`organization_id = ${organization}`
  return sql.row(LockedShard)`
    select no, next_seq, shared from knowledge.shards
    where ${isOwn} and shared and next_seq < ${openBelow}
    order by no limit 1 for update skip locked`
}

const createShard = async (sql: Sql, organization: string | null, shared: boolean) =>
  (await sql.row(LockedShard)`
    insert into knowledge.shards (organization_id, shared) values (${organization}, ${shared})
    returning no, next_seq, shared`)!
