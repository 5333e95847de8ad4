import * as z from 'zod'
import { staleVersion } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Time, Version } from '../_kit/fields.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { StoredObject } from './playbook.ts'
import type { Scope } from './scope.ts'

export const Status = z.enum(['DRAFT', 'ACTIVE', 'ON_HOLD', 'COMPLETED', 'ARCHIVED', 'CANCELLED'])
export type Status = z.infer<typeof Status>

export const MatterCategory = z.enum([
  'civil_litigation',
  'criminal_litigation',
  'administrative_litigation',
  'commercial_arbitration',
  'labor_arbitration',
  'non_litigation',
  'consultation',
])

export const Matter = z
  .object({
    id: Id,
    title: z.string(),
    status: Status,
    matter_category: MatterCategory,
    cause_of_action_code: z.string().nullable(),
    service_type_id: z.string(),
    session_id: z.string().nullable(),
    user_id: z.string(),
    organization_id: z.string(),
    provider_organization_id: z.string().nullable(),
    lawyer_id: z.string().nullable(),
    firm_id: z.string().nullable(),
    file_ids: z.array(z.string()),
    profile: StoredObject,
    data: StoredObject,
    version: Version,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Matter' })
export type Matter = z.infer<typeof Matter>

export const columns = fragment`
  id, title, status, matter_category, cause_of_action_code, service_type_id, session_id, user_id,
  organization_id, provider_organization_id, lawyer_id, firm_id, file_ids, profile, data, version,
  created_at, updated_at`

export const ById = z.object({ id: Id })

export async function loadMatter(sql: Sql, scope: Scope, id: string): Promise<Matter> {
  const matter = await sql.row(Matter)`
    select ${columns} from matter.matters where id = ${id} and ${scope}`
  return matter ?? throwNotFound(id)
}

/** Loads and locks a matter until the transaction ends, which serializes its writers. */
export async function lockMatter(
  sql: Sql,
  scope: Scope,
  id: string,
  expected: number | null = null,
): Promise<Matter> {
  const matter = await sql.row(Matter)`
    select ${columns} from matter.matters where id = ${id} and ${scope} for update`
  if (!matter) return throwNotFound(id)
  if (expected !== null && expected !== matter.version) throw staleVersion(matter.version)
  return matter
}

const MatterOwner = Matter.pick({ organization_id: true })

/** Checks that the matter is visible and returns its organization. Throws 404 otherwise. */
export async function requireVisible(
  sql: Sql,
  scope: Scope,
  id: string,
): Promise<z.infer<typeof MatterOwner>> {
  const found = await sql.row(MatterOwner)`
    select organization_id from matter.matters where id = ${id} and ${scope}`
  return found ?? throwNotFound(id)
}

function throwNotFound(id: string): never {
  throw notFound(`matter ${id}`)
}
