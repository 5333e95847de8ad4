import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { rejectSystemBase } from './base.ts'
import { maxSeq } from './search/index/posting-list.ts'

/** Origin of a write: a tenant, or a seed import with its package. Only a seed import may write system bases. */
export type WriteOrigin = 'tenant' | { packageId: string | null }

export const LockedShard = z.object({ no: z.int(), next_seq: z.int(), shared: z.boolean() })
export type LockedShard = z.infer<typeof LockedShard>

const BaseRow = z.object({
  no: z.int(),
  name: z.string(),
  system: z.boolean(),
  organization_id: z.string().nullable(),
  chunks: z.int(),
  shard: z.int().nullable(),
})

/** A locked base with its locked shard. A base has no shard before its first chunk. */
export type LockedBase = Omit<z.infer<typeof BaseRow>, 'shard'> & { shard: LockedShard | undefined }

/**
 * Locks a base for a write in the caller's transaction and rejects a tenant's write to a system base.
 * Every write of documents passes here, so no caller can skip the check.
 */
export async function lockBase(sql: Sql, base: number, origin: WriteOrigin): Promise<LockedBase> {
  const locked = await lockBaseIfExists(sql, base)
  if (!locked) throw notFound('knowledge base')
  if (origin === 'tenant') rejectSystemBase(locked)
  return locked
}

/**
 * Locks a base and its shard, whose sequence numbers are assigned in order. Every writer locks the shard first.
 * Undefined if the base does not exist.
 */
export async function lockBaseIfExists(sql: Sql, base: number): Promise<LockedBase | undefined> {
  for (;;) {
    const shard = await sql.row(LockedShard)`
      select no, next_seq, shared from knowledge.shards
      where no = (select shard from knowledge.bases where no = ${base}) for update`
    const locked = await sql.row(BaseRow)`
      select no, name, organization_id is null as system, organization_id, chunks, shard
      from knowledge.bases where no = ${base} for update`
    if (!locked) return undefined
    // Otherwise the base was moved in between. Now that it is locked, it stays.
    if (locked.shard === (shard?.no ?? null)) return { ...locked, shard }
  }
}

/** Rejects a write that needs sequence numbers up to `end` if they do not fit into the index. */
export function requireSeqs(end: number) {
  if (end <= maxSeq) return
  const limit = maxSeq.toLocaleString('en-US')
  throw new Fault('CONFLICT', `The base is full (${limit} chunks): create another one.`)
}
