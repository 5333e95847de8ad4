import { ok } from '../_kit/endpoint.ts'
import {
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  ErasureRequest as Request,
  requestedMatterIds,
} from '../_kit/erasure.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the facts of a user or of a matter',
      description: 'Conflicts are erased with their facts. The case of a fact is the matter id.',
      guard: organization,
      body: Request,
      responses: { 200: ErasureResponse },
    },
    async (c, { body }) => {
      const tenant = c.var.caller.organizationId!
      const erased = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(sql, tenant, body),
      )
      return ok(c, { erased })
    },
  ),
]

async function erase(sql: Sql, tenant: string, body: ErasureRequest) {
  const cases = fragment`case_id = any(${textArray(requestedMatterIds(body))})`
  const subject =
    body.user_id === undefined ? cases : fragment`(user_id = ${body.user_id} or ${cases})`
  const conflicts = await sql`
    delete from memory.conflicts where tenant_id = ${tenant} and fact_id in (
      select id from memory.facts where tenant_id = ${tenant} and ${subject})
    returning id`
  const facts = await sql`
    delete from memory.facts where tenant_id = ${tenant} and ${subject} returning id`
  const reconciliations = await sql`
    delete from memory.reconciliations where tenant_id = ${tenant} and ${subject} returning case_id`
  return {
    facts: facts.length,
    conflicts: conflicts.length,
    reconciliations: reconciliations.length,
  }
}
