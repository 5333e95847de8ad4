import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { ErasureResponse, erasurePath } from '../_kit/erasure.ts'
import { Fault } from '../_kit/fault.ts'
import { newId } from '../_kit/ids.ts'
import type { JobContext } from '../_kit/jobs.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { append } from './audit-chain.ts'
import type { Deps } from './deps.ts'
import { erasePlatform } from './erase-platform.ts'
import { storeEvents } from './events/store-events.ts'
import { loadHeld } from './legal-holds.ts'

const Targets = z.object({ matter_ids: z.array(z.string()), file_ids: z.array(z.string()) })
type Targets = z.infer<typeof Targets>

interface Subject {
  user_id?: string | null | undefined
  matter_id?: string | null | undefined
}

/**
 * Services in the order of erasure. Conversations and runs go first, because they write to matters; memory
 * follows the matter that it is reconciled with.
 */
const services = ['consultations', 'engine', 'matter', 'memory', 'files', 'knowledge'] as const

const subjectFilter = ({ user_id, matter_id }: Subject) => (user_id ? { user_id } : { matter_id })

/** Reads the matters and files of the subject from matter-service, without erasing anything. */
export async function loadTargets(
  { matter }: Deps,
  organization: string,
  subject: Subject,
): Promise<Targets> {
  const { matter_ids, file_ids } = await matter.request(Targets, erasurePath, {
    method: 'POST',
    headers: { 'x-organization-id': organization },
    body: { ...subjectFilter(subject), dry_run: true },
    idempotent: true,
  })
  return {
    matter_ids: [...new Set([...matter_ids, ...(subject.matter_id ? [subject.matter_id] : [])])],
    file_ids,
  }
}

export const Outcome = z.object({
  status: z.enum(['done', 'failed']),
  erased: z.record(z.string(), z.int()),
  error: z.string().nullable(),
})
type Outcome = z.infer<typeof Outcome>

const ErasureRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  user_id: z.string().nullable(),
  matter_id: z.string().nullable(),
  dry_run: z.boolean(),
  requested_by: z.string(),
  targets: Targets.nullable(),
  report: z.record(z.string(), Outcome),
})
type ErasureRow = z.infer<typeof ErasureRow>

const Payload = z.object({ id: z.uuid(), organization_id: z.string() })

/**
 * Job: erases the subject in every service. The outcome of each service is stored, so that a job that was
 * interrupted continues with the next one. Fails while a service is unavailable, and is retried.
 */
export async function eraseEverywhere(
  context: ServiceContext<Deps>,
  payload: unknown,
  { signal }: JobContext,
): Promise<void> {
  const { sql } = context
  const { id, organization_id } = Payload.parse(payload)
  const erasure = await startRun(sql, organization_id, id)
  if (!erasure) return
  const targets = erasure.targets ?? (await saveTargets(context, erasure))
  const { report } = erasure
  for (const service of services) {
    if (report[service]?.status === 'done') continue
    signal.throwIfAborted()
    const holds = await loadHeld(sql, organization_id, targets.matter_ids)
    if (holds.length > 0) return finish(sql, erasure, 'BLOCKED', report)
    report[service] = await eraseIn(context, service, erasure, targets)
    await sql`
      update platform.erasures set report = ${json(report)}
      where organization_id = ${organization_id} and id = ${id} and status = 'RUNNING'`
  }
  const erased = await erasePlatform(sql, erasure.user_id ?? undefined, erasure.dry_run)
  report.platform = { status: 'done', erased, error: null }
  const failed = services.filter((service) => report[service]!.status === 'failed')
  if (failed.length > 0) throw new Error(`erasure incomplete in ${failed.join(', ')}`)
  await finish(sql, erasure, 'SUCCEEDED', report)
}

const startRun = (sql: Sql, organization: string, id: string) => sql.row(ErasureRow)`
  update platform.erasures set status = 'RUNNING'
  where organization_id = ${organization} and id = ${id} and status in ('PENDING', 'RUNNING')
  returning id, organization_id, user_id, matter_id, dry_run, requested_by, targets, report`

/** Stores the targets before the first deletion: afterwards matter-service no longer knows them. */
async function saveTargets({ sql, ...deps }: ServiceContext<Deps>, erasure: ErasureRow) {
  const targets = await loadTargets(deps, erasure.organization_id, erasure)
  await sql`
    update platform.erasures set targets = ${json(targets)}
    where organization_id = ${erasure.organization_id} and id = ${erasure.id}`
  return targets
}

async function eraseIn(
  deps: Deps,
  service: (typeof services)[number],
  erasure: ErasureRow,
  targets: Targets,
): Promise<Outcome> {
  try {
    const { erased } = await deps[service].request(ErasureResponse, erasurePath, {
      method: 'POST',
      headers: { 'x-organization-id': erasure.organization_id },
      body: { ...subjectFilter(erasure), dry_run: erasure.dry_run, ...targets },
      idempotent: true,
      deadlineMs: 120_000,
    })
    return { status: 'done', erased, error: null }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { status: 'failed', erased: {}, error: thrown.code }
  }
}

/** Ends the erasure once and records the counts in the audit log. */
async function finish(
  sql: Sql,
  { id, organization_id, user_id, matter_id, dry_run, requested_by }: ErasureRow,
  status: 'SUCCEEDED' | 'BLOCKED' | 'FAILED',
  report: Record<string, Outcome>,
): Promise<void> {
  await sql.transaction(async (sql) => {
    const [ended] = await sql`
      update platform.erasures
      set status = ${status}, report = ${json(report)}, finished_at = now(), targets = null
      where organization_id = ${organization_id} and id = ${id} and status = 'RUNNING' returning id`
    if (!ended) return
    const erased = Object.fromEntries(
      Object.entries(report).map(([service, outcome]) => [service, outcome.erased]),
    )
    const resource = user_id === null ? `matter:${matter_id}` : `user:${user_id}`
    const action = `erasure.${status.toLowerCase()}`
    const details = { job_id: id, dry_run, erased }
    await append(sql, organization_id, [{ actor: requested_by, action, resource, details }])
    await publishErasure(sql, organization_id, id, status)
  })
}

/** Publishes the status of an erasure in the transaction that sets it. The person is not named. */
export const publishErasure = (tx: Sql, organization: string, id: string, status: string) =>
  storeEvents(tx, [
    {
      id: newId(),
      type: 'job.updated',
      organization_id: organization,
      at: new Date().toISOString(),
      data: { job_id: id, kind: 'erase', status },
    },
  ])

/** Ends erasures as FAILED when their job is DEAD. */
export async function failDeadErasures(sql: Sql): Promise<void> {
  const dead = await sql.rows(ErasureRow)`
    select erasure.id, organization_id, user_id, matter_id, dry_run, requested_by, targets, report
    from platform.erasures erasure join platform.jobs job on job.payload ->> 'id' = erasure.id::text
    where erasure.status = 'RUNNING' and job.kind = 'erase' and job.status = 'DEAD'`
  for (const erasure of dead) await finish(sql, erasure, 'FAILED', erasure.report)
}
