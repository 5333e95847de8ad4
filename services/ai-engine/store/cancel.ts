import type { Sql } from '../../_kit/sql/sql.ts'
import { lockThread } from './start-run.ts'

export type CancelCode = 'CANCELLED' | 'STOPPED'

/**
 * Cancels a running run, wherever it is driven; its text so far is kept. CANCELLED also withdraws the card
 * of an interrupted thread. STOPPED does not: nothing runs, and the person has seen the card. With `only`, a later
 * run of the thread is left alone.
 */
export const cancel = (
  sql: Sql,
  thread_id: string,
  organization: string | undefined,
  code: CancelCode,
  only?: string,
) =>
  sql.transaction(async (sql) => {
    const { status, run_id } = await lockThread(sql, thread_id, organization)
    if (only !== undefined && only !== run_id) return { thread_id, run_id, cancelled: false }
    if (status === 'running') {
      await sql`
        update ai_engine.threads set cancel_code = coalesce(cancel_code, ${code})
        where thread_id = ${thread_id}`
    } else if (status === 'interrupted' && code === 'CANCELLED') {
      await sql`
        update ai_engine.threads set status = 'idle', card_id = null, updated_at = now()
        where thread_id = ${thread_id}`
      await sql`
        update ai_engine.cards set status = 'withdrawn'
        where thread_id = ${thread_id} and status in ('pending', 'queued')`
    }
    const cancelled = status === 'running' || (status === 'interrupted' && code === 'CANCELLED')
    return { thread_id, run_id, cancelled }
  })
