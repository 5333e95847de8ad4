import type { Sql } from '../../_kit/sql/sql.ts'
import { lockThread } from './start-run.ts'

/**
 * A run that is under way ends with its next step, wherever it is driven; a card that waits is taken
 * back. A thread that rests has nothing to cancel.
 */
export const cancel = (sql: Sql, thread_id: string, organization: string | undefined) =>
  sql.transaction(async (sql) => {
    const { status, run_id, card_id } = await lockThread(sql, thread_id, organization)
    if (status === 'running') {
      await sql`update ai_engine.threads set cancelled = true where thread_id = ${thread_id}`
    } else if (status === 'interrupted') {
      await sql`
        update ai_engine.threads set status = 'idle', card_id = null, updated_at = now()
        where thread_id = ${thread_id}`
      await sql`update ai_engine.cards set status = 'withdrawn' where card_id = ${card_id}`
    }
    return { thread_id, run_id, cancelled: status !== 'idle' }
  })
