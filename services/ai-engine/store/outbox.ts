import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import { JsonObject } from '../../_kit/fields.ts'
import { enqueue } from '../../_kit/jobs.ts'
import type { Client } from '../../_kit/peer.ts'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'

const PendingSync = z.object({
  sync_key: z.string(),
  matter_id: z.string(),
  organization_id: z.string(),
  body: JsonObject,
})

export interface DeliveryResult {
  delivered: string[]
  refused: { sync_key: string; error: string } | null
  /** Some wait for matter-service to answer again; a job sees to them. */
  queued: boolean
}

/**
 * Sends what a thread has for its matter, oldest first. Each has a key under which the matter takes it
 * once, so one that was sent by a process that then died is sent again without harm.
 */
export async function deliver(
  sql: Sql,
  matter: Client,
  thread_id: string,
  headers: Record<string, string> = {},
): Promise<DeliveryResult> {
  const delivered: string[] = []
  for (const { sync_key, matter_id, organization_id, body } of await loadPending(sql, thread_id)) {
    try {
      await matter.request(
        JsonObject,
        `/api/v1/internal/matters/${encodeURIComponent(matter_id)}/sync/all`,
        {
          method: 'POST',
          body: { ...body, sync_key },
          idempotent: true,
          headers: { ...headers, 'x-organization-id': organization_id },
        },
      )
      delivered.push(sync_key)
    } catch (thrown) {
      if (thrown instanceof Fault && !thrown.retryable) {
        return { delivered, refused: { sync_key, error: thrown.message }, queued: false }
      }
      await enqueue(sql, 'ai_engine', {
        kind: 'deliver',
        payload: { thread_id },
        key: thread_id,
        delayMs: 1_000,
        maxAttempts: 1_000,
      })
      return { delivered, refused: null, queued: true }
    }
  }
  return { delivered, refused: null, queued: false }
}

const loadPending = (sql: Sql, thread_id: string) => sql.rows(PendingSync)`
  select sync_key, matter_id, organization_id, body from ai_engine.outbox
  where thread_id = ${thread_id} and status = 'PENDING' order by step`

/** The same apart from any run. */
export async function runDeliveryJob(sql: Sql, matter: Client, thread_id: string): Promise<void> {
  const { delivered, refused, queued } = await deliver(sql, matter, thread_id)
  await sql`update ai_engine.outbox set status = 'DELIVERED' where sync_key = any(${textArray(delivered)})`
  if (refused) {
    await sql`
      update ai_engine.outbox set status = 'REFUSED', error = ${refused.error}
      where sync_key = ${refused.sync_key}`
  }
  if (queued) throw new Error('matter-service does not answer')
}

const Thread = z.object({ thread_id: z.string() })

/** Sees to what a run left behind that was stopped before it could send it. */
export async function enqueueStalled(sql: Sql): Promise<void> {
  const stalled = await sql.rows(Thread)`
    select distinct thread_id from ai_engine.outbox o
    where status = 'PENDING' and created_at < now() - interval '1 minute'
      and not exists (select from ai_engine.threads t
        where t.thread_id = o.thread_id and t.status = 'running')`
  for (const { thread_id } of stalled) {
    await enqueue(sql, 'ai_engine', {
      kind: 'deliver',
      payload: { thread_id },
      key: thread_id,
      maxAttempts: 1_000,
    })
  }
}
