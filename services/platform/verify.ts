import * as z from 'zod'
import { Id, Json } from '../_kit/fields.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { beginning, Entry, hashOf } from './chain.ts'

export const Verdict = z
  .object({
    valid: z.boolean(),
    checked: z.int().describe('Entries that were looked at.'),
    first_broken: Id.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Verdict' })

const Head = z.object({ seq: z.int(), hash: z.string(), last_id: Id.nullable() })
type Head = z.infer<typeof Head>

/** As it is stored: parsing an object could lose what was put into it. */
const Stored = Entry.extend({ details: Json })
type Stored = z.infer<typeof Stored>
type Link = Pick<Stored, 'seq' | 'hash'>

const Stray = z.object({ id: Id })

const atOnce = 1_000

/**
 * Walks a chain from its beginning. The head is read first: what is appended meanwhile lies after
 * it, and what it says was there must be found.
 */
export async function verify(sql: Sql, organization: string): Promise<z.output<typeof Verdict>> {
  const head = await sql.row(Head)`
    select seq, hash, last_id from platform.audit_heads where organization_id = ${organization}`
  let before: Link = beginning
  let checked = 0
  const broken = (id: string | null, reason: string) => ({
    valid: false,
    checked,
    first_broken: id,
    reason,
  })

  for (let more = true; more; ) {
    const entries = await sql.rows(Stored)`
      select * from platform.audit_logs
      where organization_id = ${organization} and seq > ${before.seq} order by seq limit ${atOnce}`
    for (const entry of entries) {
      checked++
      const reason = await flaw(entry, before, head)
      if (reason) return broken(entry.id, reason)
      before = entry
    }
    more = entries.length === atOnce
  }

  if (head && before.seq < head.seq) {
    return broken(head.last_id, `The chain goes on to entry ${head.seq}, which is missing.`)
  }
  const stray = await pastTheHead(sql, organization)
  if (stray) return broken(stray.id, 'The entry was never appended: the chain ends before it.')
  return { valid: true, checked, first_broken: null, reason: null }
}

async function flaw(entry: Stored, before: Link, head: Head | undefined) {
  if (entry.seq !== before.seq + 1) return `Entry ${before.seq + 1}, before this one, is missing.`
  if (entry.prev_hash !== before.hash) return 'The entry does not follow the one before it.'
  if (entry.hash !== (await hashOf(entry))) return 'The entry is not what was appended.'
  if (entry.seq === head?.seq && entry.hash !== head.hash) return 'The chain was written anew.'
  return null
}

/** One statement, so that an append that goes on meanwhile is seen with its head or not at all. */
const pastTheHead = (sql: Sql, organization: string) => sql.row(Stray)`
  select entry.id from platform.audit_logs entry
  left join platform.audit_heads head using (organization_id)
  where organization_id = ${organization} and entry.seq > coalesce(head.seq, 0)
  order by entry.seq limit 1`
