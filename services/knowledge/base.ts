import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import { Id, Time } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'

export const Audience = z
  .enum(['organization', 'clients'])
  .describe(
    'Readers within the organization: `organization` excludes user type `client`, `clients` includes it. System bases are for all.',
  )

export const Base = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    system: z
      .boolean()
      .describe('True for a system base: every organization reads it, only seed imports write it.'),
    audience: Audience,
    chunks: z.int(),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'KnowledgeBase' })
export type Base = z.infer<typeof Base>

/** A base with its number and its shard, which it has once it has chunks. */
export const BaseRow = Base.extend({
  no: z.int(),
  shard: z.int().nullable(),
  organization_id: z.string().nullable(),
})
export type BaseRow = z.infer<typeof BaseRow>

export const baseColumns = fragment`id, name, description, organization_id is null as system,
  audience, chunks, created_at, updated_at`

export const baseRowColumns = fragment`${baseColumns}, no, shard, organization_id`

export const KbId = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of a base, or name of a system base such as `sys_laws`.')

/** The part of a caller that decides which bases it may read. */
export type Reader = Pick<Caller, 'organizationId' | 'userType'>

/**
 * Bases that a caller may read: system bases, and those of its organization whose audience includes its
 * user type. A service that names no organization reads the bases of all.
 */
export function readableCondition({ organizationId, userType }: Reader) {
  const own =
    organizationId === undefined
      ? fragment`true`
      : fragment`base.organization_id = ${organizationId}`
  const audience = userType === 'client' ? fragment`base.audience = 'clients'` : fragment`true`
  return fragment`(base.organization_id is null or ${own} and ${audience})`
}

/**
 * Loads the named bases, or every readable base if none is named. 404 if one is missing. In the order of their
 * shards, so that two writers lock these in the same order.
 */
export async function loadBases(
  sql: Sql,
  caller: Reader,
  kbIds: readonly string[],
): Promise<BaseRow[]> {
  const found = await sql.rows(BaseRow)`
    select ${baseRowColumns} from knowledge.bases base where ${baseCondition(caller, kbIds)}
    order by shard, no`
  requireAllFound(found, kbIds)
  return found
}

export function baseCondition(caller: Reader, kbIds: readonly string[]) {
  if (kbIds.length === 0) return readableCondition(caller)
  const named = [...new Set(kbIds)]
  const ids = named.filter((id) => Id.safeParse(id).success)
  return fragment`${readableCondition(caller)} and (id = any(${textArray(ids)}::uuid[])
    or base.organization_id is null and base.name = any(${textArray(named)}))`
}

type NamedBase = Pick<BaseRow, 'id' | 'name' | 'system'>

export function requireAllFound(found: readonly NamedBase[], kbIds: readonly string[]) {
  const missing = [...new Set(kbIds)].find((kbId) => !found.some((base) => matchesKbId(base, kbId)))
  if (missing) throw notFound(`knowledge base ${missing}`)
}

export const matchesKbId = (base: NamedBase, kbId: string) =>
  base.id === kbId.toLowerCase() || (base.system && base.name === kbId)

export async function loadBase(sql: Sql, caller: Reader, kbId: string) {
  const [base] = await loadBases(sql, caller, [kbId])
  return base!
}

/** Loads bases for a write; 403 if one is a system base. */
export async function loadWritableBases(sql: Sql, caller: Reader, kbIds: readonly string[]) {
  const bases = await loadBases(sql, caller, kbIds)
  bases.forEach(rejectSystemBase)
  return bases
}

export async function loadWritableBase(sql: Sql, caller: Reader, kbId: string) {
  const [base] = await loadWritableBases(sql, caller, [kbId])
  return base!
}

const writerTypes = ['lawyer', 'firm_admin', 'operator']

export function requireWriter({ userType, superuser }: Caller) {
  if (superuser || writerTypes.includes(userType ?? '')) return
  throw new Fault('FORBIDDEN', 'Requires user type lawyer, firm_admin or operator.')
}

export function rejectSystemBase({ system, name }: Pick<BaseRow, 'system' | 'name'>) {
  if (system)
    throw new Fault('FORBIDDEN', `${name} is a system base, which only seed imports may write.`)
}
