import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Id, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { enqueue, type JobContext } from '../_kit/jobs.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { ChainHead, chainName } from './audit-chain.ts'
import { type Deps, get, manage } from './deps.ts'
import { Verdict, verifyChain } from './verify-chain.ts'

/** Chains with more entries are verified by a job. */
const maxSyncEntries = 100_000

const Verification = z
  .object({
    id: Id,
    status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
    result: Verdict.nullable(),
    created_at: Time,
    finished_at: Time.nullable(),
  })
  .meta({ id: 'AuditVerification' })

const path = '/api/v1/audit-logs/verify'

export const auditVerify = [
  get(
    path,
    {
      summary: 'Verify the audit chain',
      description:
        'Chain of the organization in X-Organization-Id. Without the header: the chain of the platform. Returns the first entry that was changed or inserted or that follows a removed entry. If the end was removed, returns the id of the last entry. A chain with more than 100,000 entries is verified by a job (202).',
      guard: manage,
      responses: { 200: Verdict, 202: z.object({ job_id: Id }) },
    },
    async (c) => {
      const { sql, signer } = c.env
      const organization = chainName(c.var.caller)
      const head = await sql.row(ChainHead)`
        select seq, hash from platform.audit_heads where organization_id = ${organization}`
      if (!head || head.seq <= maxSyncEntries) {
        return ok(c, await verifyChain(sql, organization, signer))
      }
      return ok(c, { job_id: await enqueueVerification(sql, organization) }, 202)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get the result of a verification job',
      guard: manage,
      params: z.object({ id: Id }),
      responses: { 200: Verification },
    },
    async (c, { params }) => {
      const found = await c.env.sql.row(Verification)`
        select id, status, result, created_at, finished_at from platform.audit_verifications
        where organization_id = ${chainName(c.var.caller)} and id = ${params.id}`
      if (!found) throw notFound(`verification ${params.id}`)
      return ok(c, found)
    },
  ),
]

const VerificationId = z.object({ id: Id })

/** Starts a verification, or returns the one that is pending for the chain. */
export const enqueueVerification = (sql: Sql, organization: string): Promise<string> =>
  sql.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtext(${`platform.verify:${organization}`}::text))`
    const pending = await sql.row(VerificationId)`
      select id from platform.audit_verifications
      where organization_id = ${organization} and status = 'PENDING' limit 1`
    if (pending) return pending.id
    const id = newId()
    await sql`
      insert into platform.audit_verifications (id, organization_id, status)
      values (${id}, ${organization}, 'PENDING')`
    await enqueue(sql, 'platform', { kind: 'verify_audit_chain', payload: { id, organization } })
    return id
  })

const Payload = z.object({ id: Id, organization: z.string() })

/** Job: verifies a chain and stores the result. Running it twice gives the same result. */
export async function verifyAuditChain(
  { sql, signer }: ServiceContext<Deps>,
  payload: unknown,
  { signal }: JobContext,
) {
  const { id, organization } = Payload.parse(payload)
  const result = await verifyChain(sql, organization, signer, signal)
  await sql`
    update platform.audit_verifications
    set status = 'SUCCEEDED', result = ${json(result)}, finished_at = now()
    where organization_id = ${organization} and id = ${id}`
}

/** Marks verifications as FAILED when their job is DEAD. */
export const failDeadVerifications = (sql: Sql) => sql`
  update platform.audit_verifications verification set status = 'FAILED', finished_at = now()
  from platform.jobs job
  where verification.status = 'PENDING' and job.kind = 'verify_audit_chain'
    and job.status = 'DEAD' and job.payload ->> 'id' = verification.id::text`
