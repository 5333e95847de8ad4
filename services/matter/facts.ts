import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import { ExternalId, Json, JsonObject } from '../_kit/fields.ts'
import { enqueue } from '../_kit/jobs.ts'
import { json, type Sql, textArray } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import { Name } from './fields.ts'
import { StoredJson, StoredObject } from './playbook.ts'

const Category = z.enum(['user_profile', 'preference', 'case_detail', 'evidence', 'summary'])

const Fact = z.object({
  entity_key: z.string(),
  category: Category,
  content: z.string(),
  value: StoredJson,
  confidence: z.number(),
  metadata: StoredObject,
})
type Fact = z.infer<typeof Fact>

/** A complete fact of the case by key. Content null removes the fact. */
export const FactPatch = z.object({
  entity_key: Name,
  category: Category.default('case_detail'),
  content: z.string().min(1).max(8_000).nullable().describe('Null removes the fact.'),
  value: Json.default(null),
  confidence: z.number().min(0).max(1).default(1),
  metadata: JsonObject.default({}),
})
export type FactPatch = z.output<typeof FactPatch>

/** Returns the new fact, or null if the patch removes it. */
export const patchFact = ({ content, ...fact }: FactPatch): Fact | null =>
  content === null ? null : { ...fact, content }

export async function loadFacts(sql: Sql, matterId: string, keys: string[]) {
  const rows = await sql.rows(Fact)`
    select entity_key, category, content, value, confidence, metadata from matter.facts
    where matter_id = ${matterId} and entity_key = any(${textArray(keys)})`
  return new Map<string, Fact | null>(rows.map((fact) => [fact.entity_key, fact]))
}

export async function saveFacts(sql: Sql, matterId: string, facts: Map<string, Fact | null>) {
  const upserts = [...facts.values()].filter((fact) => fact !== null)
  const deletedKeys = [...facts].filter(([, fact]) => fact === null).map(([key]) => key)
  if (deletedKeys.length > 0) {
    await sql`
      delete from matter.facts
      where matter_id = ${matterId} and entity_key = any(${textArray(deletedKeys)})`
  }
  if (upserts.length > 0) await upsertFacts(sql, matterId, upserts)
  await checkSize(sql, matterId)
  await enqueue(sql, 'matter', {
    kind: 'reconcile_memory',
    payload: { matter_id: matterId },
    key: matterId,
    maxAttempts: unlimitedAttempts,
  })
}

const upsertFacts = (sql: Sql, matterId: string, facts: Fact[]) => sql`
  insert into matter.facts (matter_id, entity_key, category, content, value, confidence, metadata)
  select ${matterId}::uuid, entity_key, category, content, value, confidence, metadata
  from jsonb_to_recordset(${json(facts)})
    as input (entity_key text, category text, content text, value jsonb, confidence float8,
      metadata jsonb)
  on conflict (matter_id, entity_key) do update
  set category = excluded.category, content = excluded.content, value = excluded.value,
    confidence = excluded.confidence, metadata = excluded.metadata`

/** The job is retried until memory-service is available. */
const unlimitedAttempts = 1_000_000

/** Limits of the reconcile request of memory-service, which carries all facts. */
const limits = { facts: 2_000, bytes: 900_000 }
const FactsSize = z.object({ facts: z.int(), bytes: z.int() })

async function checkSize(sql: Sql, matterId: string) {
  const size = await sql.row(FactsSize)`
    select count(*) as facts, coalesce(sum(octet_length(to_jsonb(fact)::text)), 0)::int8 as bytes
    from matter.facts as fact where matter_id = ${matterId}`
  if (size!.facts <= limits.facts && size!.bytes <= limits.bytes) return
  throw new Fault(
    'CONFLICT',
    'The matter exceeds the limit of facts that memory-service accepts.',
    {
      data: { ...size, most: limits },
    },
  )
}

const Payload = z.object({ matter_id: z.uuid() })
const MatterFacts = z.object({
  organization_id: z.string(),
  user_id: ExternalId,
  version: z.int(),
  facts: z.array(Fact),
})

/** Sends the current facts to memory-service. One statement reads version and facts consistently. */
export async function reconcileMemory({ sql, memory }: ServiceContext<Deps>, payload: unknown) {
  const { matter_id } = Payload.parse(payload)
  const current = await sql.row(MatterFacts)`
    select organization_id, user_id, version,
      (select coalesce(jsonb_agg(to_jsonb(fact) - 'matter_id' order by entity_key), '[]')
        from matter.facts as fact where fact.matter_id = matters.id) as facts
    from matter.matters where id = ${matter_id}`
  if (!current) return
  const { organization_id, user_id, version, facts } = current
  await memory.request(z.unknown(), '/api/v1/internal/memory/reconcile', {
    method: 'POST',
    headers: { 'x-organization-id': organization_id },
    body: { user_id, case_id: matter_id, matter_version: version, facts },
    idempotent: true,
  })
}
