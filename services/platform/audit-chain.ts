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

export const ChainHead = z.object({ seq: z.int(), hash: z.string() })

/** Name of the chain for changes of the platform itself. */
const platformChain = 'platform'

export const chainName = ({ organizationId }: Caller) => organizationId ?? platformChain

/** Predecessor of the first entry of a chain. */
export const genesis = { seq: 0, hash: '0'.repeat(64) }

/** Hashes all members and the previous hash, so that a changed entry invalidates all later ones. */
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
 * Appends entries to the chain of an organization. Runs in the transaction of the audited change and locks
 * the head of the chain until commit, which serializes appends.
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

type PlatformChange = Omit<NewEntry, 'actor'>

/** Records changes of platform records by the caller. The content of the records is not logged. */
export async function recordPlatformChanges(sql: Sql, caller: Caller, changes: PlatformChange[]) {
  const actor = caller.userId ?? 'unknown'
  const entries = changes.map((change) => ({ actor, ...change }))
  if (entries.length > 0) await append(sql, platformChain, entries)
}

export const recordPlatformChange = (
  sql: Sql,
  caller: Caller,
  action: string,
  resource: string,
  details: AuditEntry['details'],
) => recordPlatformChanges(sql, caller, [{ action, resource, details }])
