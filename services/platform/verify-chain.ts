import * as z from 'zod'
import { Id, Json } from '../_kit/fields.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { AuditEntry, genesis, hashEntry } from './audit-chain.ts'

export const Verdict = z
  .object({
    valid: z.boolean(),
    checked: z.int().describe('Entries that were looked at.'),
    first_broken: Id.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Verdict' })

const ChainHead = z.object({ seq: z.int(), hash: z.string(), last_id: Id.nullable() })
type ChainHead = z.infer<typeof ChainHead>

/** As it is stored: parsing an object could lose what was put into it. */
const StoredEntry = AuditEntry.extend({ details: Json })
type StoredEntry = z.infer<typeof StoredEntry>
type Link = Pick<StoredEntry, 'seq' | 'hash'>

const EntryId = z.object({ id: Id })

const batchSize = 1_000

/**
 * Walks a chain from its beginning. The head is read first: what is appended meanwhile lies after
 * it, and what it says was there must be found.
 */
export async function verifyChain(
  sql: Sql,
  organization: string,
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
    return brokenAt(head.last_id, `The chain goes on to entry ${head.seq}, which is missing.`)
  }
  const stray = await findStray(sql, organization)
  if (stray) return brokenAt(stray.id, 'The entry was never appended: the chain ends before it.')
  return { valid: true, checked, first_broken: null, reason: null }
}

async function findFlaw(entry: StoredEntry, previous: Link, head: ChainHead | undefined) {
  if (entry.seq !== previous.seq + 1)
    return `Entry ${previous.seq + 1}, before this one, is missing.`
  if (entry.prev_hash !== previous.hash) return 'The entry does not follow the one before it.'
  if (entry.hash !== (await hashEntry(entry))) return 'The entry is not what was appended.'
  if (entry.seq === head?.seq && entry.hash !== head.hash) return 'The chain was written anew.'
  return null
}

/** One statement, so that an append that goes on meanwhile is seen with its head or not at all. */
const findStray = (sql: Sql, organization: string) => sql.row(EntryId)`
  select entry.id from platform.audit_logs entry
  left join platform.audit_heads head using (organization_id)
  where organization_id = ${organization} and entry.seq > coalesce(head.seq, 0)
  order by entry.seq limit 1`
