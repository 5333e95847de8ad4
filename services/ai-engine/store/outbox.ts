import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import { enqueue } from '../../_kit/jobs.ts'
import { errorFields, type Log } from '../../_kit/log.ts'
import type { Metrics } from '../../_kit/metrics.ts'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import { type EffectPeers, PendingEffect, sendEffect } from './send-effect.ts'

export interface Refusal {
  sync_key: string
  error: string
}

export interface DeliveryResult {
  delivered: string[]
  refused: Refusal[]
  /** True if matter-service did not accept some rows yet; a job retries them. */
  queued: boolean
}

export interface OutboxDeps extends EffectPeers {
  sql: Sql
  log: Log
  metrics: Metrics
}

/** Responses after which the same request can never succeed. Others, 401 and 403 too, are retried. */
const finalStatuses = new Set([400, 404, 409, 413, 422])

const isFinal = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && finalStatuses.has(thrown.status)

/** Sends the pending rows of a thread, oldest first. */
export async function deliver(
  { sql, log, metrics, ...peers }: OutboxDeps,
  thread_id: string,
  headers: Record<string, string> = {},
): Promise<DeliveryResult> {
  const delivered: string[] = []
  const refused: Refusal[] = []
  for (const effect of await loadPending(sql, thread_id)) {
    const { sync_key, kind, matter_id } = effect
    try {
      await sendEffect(peers, effect, headers)
      delivered.push(sync_key)
    } catch (thrown) {
      const fields = {
        ...{ thread: thread_id, matter: matter_id, sync_key, kind },
        ...errorFields(thrown),
      }
      if (isFinal(thrown)) {
        log.error(fields, 'sync refused')
        metrics.count('engine_outbox_refused_total', { code: thrown.code })
        refused.push({ sync_key, error: `${thrown.code}: ${thrown.message}` })
        continue
      }
      log.warn(fields, 'sync failed, retrying')
      await enqueueDelivery(sql, thread_id, 1_000)
      return { delivered, refused, queued: true }
    }
  }
  return { delivered, refused, queued: false }
}

/** Job attempts back off up to five minutes, so this many last for days. */
const maxAttempts = 1_000

const enqueueDelivery = (sql: Sql, thread_id: string, delayMs = 0) =>
  enqueue(sql, 'ai_engine', {
    kind: 'deliver',
    payload: { thread_id },
    key: thread_id,
    delayMs,
    maxAttempts,
  })

const loadPending = (sql: Sql, thread_id: string) => sql.rows(PendingEffect)`
  select sync_key, kind, matter_id, organization_id, body from ai_engine.outbox
  where thread_id = ${thread_id} and status = 'PENDING' order by step, length(sync_key), sync_key`

/** Delivers the rows of a thread outside of a run. Throws if some must be retried. */
export async function runDeliveryJob(deps: OutboxDeps, thread_id: string): Promise<void> {
  const { sql } = deps
  const { delivered, refused, queued } = await deliver(deps, thread_id)
  await sql`
    update ai_engine.outbox set status = 'DELIVERED', error = null
    where sync_key = any(${textArray(delivered)})`
  for (const { sync_key, error } of refused) {
    await sql`
      update ai_engine.outbox set status = 'REFUSED', error = ${error}, refused_at = now()
      where sync_key = ${sync_key}`
  }
  if (queued) throw new Error('matter-service did not accept the sync')
}

const ThreadRow = z.object({ thread_id: z.string() })

/** Enqueues the delivery of rows that a cancelled or abandoned run left behind. */
export async function enqueueStalled(sql: Sql): Promise<void> {
  const stalled = await sql.rows(ThreadRow)`
    select distinct thread_id from ai_engine.outbox o
    where status = 'PENDING' and created_at < now() - interval '1 minute'
      and not exists (select from ai_engine.threads t
        where t.thread_id = o.thread_id and t.status = 'running')`
  for (const { thread_id } of stalled) await enqueueDelivery(sql, thread_id)
}

const RefusedCount = z.object({ count: z.int() })

/** Health check: throws while matter-service has refused rows that were not sent again. */
export async function checkRefused(sql: Sql, metrics: Metrics): Promise<void> {
  const row = await sql.row(RefusedCount)`
    select count(*) as count from ai_engine.outbox where status = 'REFUSED'`
  metrics.gauge('engine_outbox_refused', {}, row!.count)
  if (row!.count > 0)
    throw new Error(`matter-service refused ${row!.count} syncs; see /api/v1/internal/ai/outbox`)
}

/** Sends refused rows again and returns their number. */
export async function resend(
  sql: Sql,
  organization: string | undefined,
  filter: { sync_key?: string | undefined; matter_id?: string | undefined },
): Promise<number> {
  const { sync_key = null, matter_id = null } = filter
  return sql.transaction(async (sql) => {
    const rows = await sql.rows(ThreadRow)`
      update ai_engine.outbox set status = 'PENDING', error = null, refused_at = null
      where status = 'REFUSED' and (${organization ?? null}::text is null or organization_id = ${organization ?? null})
        and (${sync_key}::text is null or sync_key = ${sync_key})
        and (${matter_id}::text is null or matter_id = ${matter_id})
      returning thread_id`
    for (const thread_id of new Set(rows.map((row) => row.thread_id)))
      await enqueueDelivery(sql, thread_id)
    return rows.length
  })
}
