import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { rejectSystemBase } from './base.ts'
import { maxSeq } from './search/index/posting-list.ts'

/** Origin of a write: a tenant, or a seed import with its package. Only a seed import may write system bases. */
export type WriteOrigin = 'tenant' | { packageId: string | null }

const LockedBase = z.object({ next_seq: z.int(), name: z.string(), system: z.boolean() })

/**
 * Locks a base for a write in the caller's transaction and rejects a tenant's write to a system base.
 * Every write of documents passes here, so no caller can skip the check.
 */
export async function lockBase(sql: Sql, base: number, origin: WriteOrigin) {
  const locked = await sql.row(LockedBase)`
    select next_seq, name, organization_id is null as system
    from knowledge.bases where no = ${base} for update`
  if (!locked) throw notFound('knowledge base')
  if (origin === 'tenant') rejectSystemBase(locked)
  return locked
}

/** Rejects a write that needs sequence numbers up to `end` if they do not fit into the index. */
export function requireSeqs(end: number) {
  if (end <= maxSeq) return
  const limit = maxSeq.toLocaleString('en-US')
  throw new Fault('CONFLICT', `The base is full (${limit} chunks): create another one.`)
}
