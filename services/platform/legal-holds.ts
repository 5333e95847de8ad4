import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { append } from './audit-chain.ts'
import { del, get, manageOwn, put } from './deps.ts'

const LegalHold = z
  .object({
    matter_id: z.string(),
    reason: z.string(),
    created_by: z.string(),
    created_at: Time,
  })
  .meta({ id: 'LegalHold' })

const ByMatter = z.object({ matter_id: z.string().min(1).max(200) })
const HoldRequest = z.object({ reason: z.string().max(2_000).default('') }).prefault({})

const path = '/api/v1/legal-holds'
const columns = fragment`matter_id, reason, created_by, created_at`

export const legalHolds = [
  get(
    path,
    {
      summary: 'List legal holds, newest first',
      guard: manageOwn,
      query: PageQuery,
      responses: { 200: pageSchema(LegalHold) },
      faults: ['VALIDATION_FAILED'],
    },
    async (c, { query }) => {
      const from = fragment`platform.legal_holds
        where organization_id = ${c.var.caller.organizationId!}`
      const order = fragment`created_at desc, matter_id desc`
      return ok(c, await selectPage(c.env.sql, LegalHold, query, { columns, from, order }))
    },
  ),

  put(
    `${path}/:matter_id`,
    {
      summary: 'Place a legal hold on a matter',
      description:
        'A held matter cannot be erased. An erasure in progress stops before the next service. Repeating the request updates the reason.',
      guard: manageOwn,
      params: ByMatter,
      body: HoldRequest,
      example: { reason: 'Litigation is pending.' },
      responses: { 200: LegalHold },
    },
    async (c, { params: { matter_id }, body: { reason } }) => {
      const organization = c.var.caller.organizationId!
      const actor = c.var.caller.userId ?? 'unknown'
      const hold = await c.env.sql.transaction(async (sql) => {
        const saved = await sql.row(LegalHold)`
          insert into platform.legal_holds (organization_id, matter_id, reason, created_by)
          values (${organization}, ${matter_id}, ${reason}, ${actor})
          on conflict (organization_id, matter_id) do update set reason = excluded.reason
          returning ${columns}`
        await recordHold(sql, organization, actor, 'legal_hold.placed', matter_id)
        return saved!
      })
      return ok(c, hold)
    },
  ),

  del(
    `${path}/:matter_id`,
    {
      summary: 'Release the legal hold of a matter',
      guard: manageOwn,
      params: ByMatter,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      faults: ['VALIDATION_FAILED'],
    },
    async (c, { params: { matter_id } }) => {
      const organization = c.var.caller.organizationId!
      const actor = c.var.caller.userId ?? 'unknown'
      await c.env.sql.transaction(async (sql) => {
        const [deleted] = await sql`
          delete from platform.legal_holds
          where organization_id = ${organization} and matter_id = ${matter_id} returning matter_id`
        if (!deleted) throw notFound(`legal hold ${matter_id}`)
        await recordHold(sql, organization, actor, 'legal_hold.released', matter_id)
      })
      return ok(c, { deleted: true })
    },
  ),
]

const recordHold = (sql: Sql, org: string, actor: string, action: string, matterId: string) =>
  append(sql, org, [{ actor, action, resource: `matter:${matterId}`, details: {} }])

/** Returns the held matters among `matterIds`. */
export async function loadHeld(sql: Sql, organization: string, matterIds: string[]) {
  const holds = await sql.rows(LegalHold)`
    select ${columns} from platform.legal_holds
    where organization_id = ${organization} and matter_id = any(${textArray(matterIds)})
    order by matter_id`
  return holds.map(({ matter_id }) => matter_id)
}

export const legalHold = (matterIds: string[]) =>
  new Fault('CONFLICT', `A legal hold prevents the erasure of matter ${matterIds[0]}.`, {
    code: 'LEGAL_HOLD',
    data: { matter_ids: matterIds },
  })
