import * as z from 'zod'
import { Id, JsonObject, Time } from '../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import type { Caller } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'

export const AuditEntry = z
  .object({
    id: Id,
    organization_id: z.string(),
    seq: z.int().min(1),
    actor: z.string(),
    action: z.string(),
    resource: z.string(),
    details: JsonObject,
    created_at: Time,
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditLog' })
export type AuditEntry = z.infer<typeof AuditEntry>

type NewEntry = Pick<AuditEntry, 'actor' | 'action' | 'resource' | 'details'>

const ChainHead = z.object({ seq: z.int(), hash: z.string() })

/** What is done to the platform itself is in a chain of this name. */
export const platformChain = 'platform'

/** What the first entry of a chain follows. */
export const genesis = { seq: 0, hash: '0'.repeat(64) }

/** Covers every member and the hash before it, so that no entry changes without all that follow. */
export const hashEntry = (entry: Omit<AuditEntry, 'hash' | 'details'> & { details: unknown }) =>
  sha256Hex(
    canonicalJson([
      entry.organization_id,
      entry.seq,
      entry.id,
      entry.actor,
      entry.action,
      entry.resource,
      entry.details,
      entry.created_at,
      entry.prev_hash,
    ]),
  )

/**
 * Adds entries at the end of an organization's chain. Runs in the transaction of what they tell of;
 * the chain's head stays locked until that ends, so that appends come one after another.
 */
export async function append(sql: Sql, organization: string, newEntries: NewEntry[]) {
  const entries: AuditEntry[] = []
  let { seq, hash } = await lockHead(sql, organization)
  for (const { actor, action, resource, details } of newEntries) {
    const entry = {
      id: newId(),
      organization_id: organization,
      seq: ++seq,
      actor,
      action,
      resource,
      details,
      created_at: new Date().toISOString(),
      prev_hash: hash,
    }
    hash = await hashEntry(entry)
    entries.push({ ...entry, hash })
  }
  await sql`
    insert into platform.audit_logs
    select * from jsonb_populate_recordset(null::platform.audit_logs, ${json(entries)})`
  await sql`
    update platform.audit_heads
    set seq = ${seq}, hash = ${hash}, last_id = ${entries.at(-1)!.id}
    where organization_id = ${organization}`
  return { appended: entries.length, last_hash: hash }
}

async function lockHead(sql: Sql, organization: string) {
  const head = await sql.row(ChainHead)`
    insert into platform.audit_heads (organization_id, seq, hash)
    values (${organization}, ${genesis.seq}, ${genesis.hash})
    on conflict (organization_id) do update set organization_id = excluded.organization_id
    returning seq, hash`
  return head!
}

/** Tells who changed what of the platform. What a record holds stays out of the log. */
export const recordPlatformChange = (
  sql: Sql,
  caller: Caller,
  action: string,
  resource: string,
  details: AuditEntry['details'],
) => append(sql, platformChain, [{ actor: caller.userId ?? 'unknown', action, resource, details }])
