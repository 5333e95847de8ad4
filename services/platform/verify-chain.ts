import * as z from 'zod'
import { Id, Json } from '../_kit/fields.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { AuditEntry, genesis, hashEntry } from './audit-chain.ts'
import { Checkpoint, type Signer } from './audit-signing.ts'

export const Verdict = z
  .object({
    valid: z.boolean(),
    checked: z.int().describe('Number of checked entries.'),
    first_broken: Id.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Verdict' })

const ChainHead = z.object({ seq: z.int(), hash: z.string(), last_id: Id.nullable() })
type ChainHead = z.infer<typeof ChainHead>

/** Details are read as plain JSON, because an object schema could drop members. */
const StoredEntry = AuditEntry.extend({ details: Json })
type StoredEntry = z.infer<typeof StoredEntry>
type Link = Pick<StoredEntry, 'seq' | 'hash'>

const EntryId = z.object({ id: Id })

const batchSize = 1_000

/**
 * Verifies a chain from its first entry. Reads the head first: entries appended meanwhile are later than
 * the head, and all entries up to the head must exist. Stops between batches when `signal` aborts.
 */
export async function verifyChain(
  sql: Sql,
  organization: string,
  signer?: Signer,
  signal?: AbortSignal,
): Promise<z.output<typeof Verdict>> {
  const head = await sql.row(ChainHead)`
    select seq, hash, last_id from platform.audit_heads where organization_id = ${organization}`
  let previous: Link = genesis
  let checked = 0
  const brokenAt = (id: string | null, reason: string) => ({
    valid: false,
    checked,
    first_broken: id,
    reason,
  })

  for (let more = true; more; ) {
    signal?.throwIfAborted()
    const entries = await sql.rows(StoredEntry)`
      select * from platform.audit_logs
      where organization_id = ${organization} and seq > ${previous.seq} order by seq limit ${batchSize}`
    for (const entry of entries) {
      checked++
      const reason = await findFlaw(entry, previous, head)
      if (reason) return brokenAt(entry.id, reason)
      previous = entry
    }
    more = entries.length === batchSize
  }

  if (head && previous.seq < head.seq) {
    return brokenAt(head.last_id, `Entry ${head.seq}, the end of the chain, is missing.`)
  }
  const stray = await findStray(sql, organization)
  if (stray) return brokenAt(stray.id, 'The entry is after the end of the chain.')
  const forged = await findForgedCheckpoint(sql, organization, signer)
  if (forged) return brokenAt(forged.id, forged.reason)
  return { valid: true, checked, first_broken: null, reason: null }
}

async function findFlaw(entry: StoredEntry, previous: Link, head: ChainHead | undefined) {
  if (entry.seq !== previous.seq + 1)
    return `Entry ${previous.seq + 1} is missing before this entry.`
  if (entry.prev_hash !== previous.hash)
    return 'prev_hash differs from the hash of the previous entry.'
  if (entry.hash !== (await hashEntry(entry))) return 'The content does not match the hash.'
  if (entry.seq === head?.seq && entry.hash !== head.hash)
    return 'The hash differs from the head of the chain.'
  return null
}

/** One statement, so that a concurrent append is visible with its head or not at all. */
const findStray = (sql: Sql, organization: string) => sql.row(EntryId)`
  select entry.id from platform.audit_logs entry
  left join platform.audit_heads head using (organization_id)
  where organization_id = ${organization} and entry.seq > coalesce(head.seq, 0)
  order by entry.seq limit 1`

const SignedEntry = Checkpoint.extend({
  entry_id: Id.nullable(),
  entry_hash: z.string().nullable(),
})

/**
 * Compares the chain with its checkpoints. An attacker without the signing key can rewrite the log and its
 * head, but not the checkpoints. Signatures of a key that is no longer configured are not checked.
 */
async function findForgedCheckpoint(
  sql: Sql,
  organization: string,
  signer: Signer | undefined,
): Promise<{ id: string | null; reason: string } | null> {
  const signed = await sql.rows(SignedEntry)`
    select checkpoint.*, entry.id as entry_id, entry.hash as entry_hash
    from platform.audit_checkpoints checkpoint
    left join platform.audit_logs entry using (organization_id, seq)
    where organization_id = ${organization} order by seq`
  const keyId = await signer?.keyId()
  for (const { entry_id, entry_hash, ...checkpoint } of signed) {
    if (checkpoint.hash !== entry_hash) {
      return { id: entry_id, reason: `The hash differs from the checkpoint at ${checkpoint.seq}.` }
    }
    if (signer && checkpoint.key_id === keyId && !(await signer.verify(checkpoint))) {
      return { id: entry_id, reason: `The signature of checkpoint ${checkpoint.seq} is invalid.` }
    }
  }
  return null
}
