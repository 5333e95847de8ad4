import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ErasureRequest, ErasureResponse, erasurePath } from '../_kit/erasure.ts'
import { notFound } from '../_kit/fault.ts'
import { ExternalId, Id, Time } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { enqueue } from '../_kit/jobs.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { append } from './audit-chain.ts'
import { get, manageOwn, post } from './deps.ts'
import { loadTargets, Outcome, publishErasure } from './erase-everywhere.ts'
import { erasePlatform } from './erase-platform.ts'
import { legalHold, loadHeld } from './legal-holds.ts'

const Erasure = z
  .object({
    job_id: Id,
    user_id: z.string().nullable(),
    matter_id: z.string().nullable(),
    dry_run: z.boolean(),
    status: z
      .enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'BLOCKED'])
      .describe('BLOCKED: stopped by a legal hold.'),
    requested_by: z.string(),
    report: z.record(z.string(), Outcome).describe('Outcome by service.'),
    created_at: Time,
    finished_at: Time.nullable(),
  })
  .meta({ id: 'Erasure' })

const NewErasure = z
  .object({
    user_id: ExternalId.optional(),
    matter_id: ExternalId.optional(),
    dry_run: z.boolean().default(false).describe('Count only; nothing is erased.'),
  })
  .refine(({ user_id, matter_id }) => (user_id === undefined) !== (matter_id === undefined), {
    path: ['user_id'],
    error: 'Send either user_id or matter_id.',
  })
  .meta({
    oneOf: [
      { required: ['user_id'], not: { required: ['matter_id'] } },
      { required: ['matter_id'], not: { required: ['user_id'] } },
    ],
  })

const path = '/api/v1/erasures'
const columns = fragment`id as job_id, user_id, matter_id, dry_run, status, requested_by, report,
  created_at, finished_at`

export const erasures = [
  post(
    path,
    {
      summary: 'Erase the data of a person or of a matter',
      description:
        'Starts a job over all services. A request for the same subject returns the job in progress. 409 `LEGAL_HOLD` if a matter of the subject is held.',
      guard: manageOwn,
      body: NewErasure,
      example: { user_id: 'u-1', dry_run: true },
      responses: { 202: z.object({ job_id: Id }) },
      faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { body }) => {
      const org = c.var.caller.organizationId!
      const { matter_ids } = await loadTargets(c.env, org, body)
      const actor = c.var.caller.userId ?? 'unknown'
      const job_id = await c.env.sql.transaction(async (sql) => {
        const holds = await loadHeld(sql, org, matter_ids)
        if (holds.length > 0) throw legalHold(holds)
        return startErasure(sql, org, actor, body)
      })
      return ok(c, { job_id }, 202)
    },
  ),

  get(
    path,
    {
      summary: 'List erasures, newest first',
      guard: manageOwn,
      query: PageQuery,
      responses: { 200: pageSchema(Erasure) },
    },
    async (c, { query }) => {
      const from = fragment`platform.erasures
        where organization_id = ${c.var.caller.organizationId!}`
      const order = fragment`created_at desc, id desc`
      return ok(c, await selectPage(c.env.sql, Erasure, query, { columns, from, order }))
    },
  ),

  get(
    `${path}/:job_id`,
    {
      summary: 'Get the report of an erasure',
      guard: manageOwn,
      params: z.object({ job_id: Id }),
      responses: { 200: Erasure },
      faults: ['VALIDATION_FAILED'],
    },
    async (c, { params: { job_id } }) => {
      const found = await c.env.sql.row(Erasure)`
        select ${columns} from platform.erasures
        where organization_id = ${c.var.caller.organizationId!} and id = ${job_id}`
      if (!found) throw notFound(`erasure ${job_id}`)
      return ok(c, found)
    },
  ),

  post(
    erasurePath,
    {
      summary: 'Erase a user from the platform records',
      description: 'Removes the user from the rules of feature flags. Audit entries stay.',
      guard: organization,
      body: ErasureRequest,
      responses: { 200: ErasureResponse },
    },
    async (c, { body: { user_id, dry_run } }) =>
      ok(c, { erased: await erasePlatform(c.env.sql, user_id, dry_run) }),
  ),
]

const ErasureId = z.object({ id: Id })

/** Creates the erasure and its job, or returns the erasure of the same subject that is in progress. */
async function startErasure(
  sql: Sql,
  org: string,
  actor: string,
  { user_id, matter_id, dry_run }: z.output<typeof NewErasure>,
): Promise<string> {
  const created = await sql.row(ErasureId)`
    insert into platform.erasures
      (id, organization_id, user_id, matter_id, dry_run, status, requested_by)
    values (${newId()}, ${org}, ${user_id ?? null}, ${matter_id ?? null}, ${dry_run}, 'PENDING',
      ${actor})
    on conflict (organization_id, user_id, matter_id, dry_run)
      where status in ('PENDING', 'RUNNING') do nothing returning id`
  if (!created) {
    const active = await sql.row(ErasureId)`
      select id from platform.erasures
      where organization_id = ${org} and user_id is not distinct from ${user_id ?? null}
        and matter_id is not distinct from ${matter_id ?? null} and dry_run = ${dry_run}
        and status in ('PENDING', 'RUNNING')`
    if (active) return active.id
    // It ended between the two statements.
    return startErasure(sql, org, actor, { user_id, matter_id, dry_run })
  }
  const payload = { id: created.id, organization_id: org }
  await enqueue(sql, 'platform', { kind: 'erase', payload, maxAttempts: 100 })
  const resource = user_id === undefined ? `matter:${matter_id}` : `user:${user_id}`
  const details = { job_id: created.id, dry_run }
  await append(sql, org, [{ actor, action: 'erasure.requested', resource, details }])
  await publishErasure(sql, org, created.id, 'PENDING')
  return created.id
}
