import * as z from 'zod'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { loadState } from './state.ts'

const PrunableThread = z.object({ thread_id: z.string(), floor: z.int() })
const StepRow = z.object({ step: z.int() })

/**
 * Deletes the oldest checkpoints of threads with more than `keep`: those before the snapshot from which
 * the newest `keep` can be loaded. Checkpoints where a branch starts stay, each with a snapshot.
 */
export async function pruneCheckpoints(sql: Sql, keep: number): Promise<number> {
  const threads = await sql.rows(PrunableThread)`
    select t.thread_id, (
      select max(step) from ai_engine.checkpoints p
      where p.thread_id = t.thread_id and p.snapshot is not null and p.step <= t.head - ${keep}::int
    ) as floor
    from ai_engine.threads t
    where t.status <> 'running' and (
      select min(step) from ai_engine.checkpoints p where p.thread_id = t.thread_id
    ) < (
      select max(step) from ai_engine.checkpoints p
      where p.thread_id = t.thread_id and p.snapshot is not null and p.step <= t.head - ${keep}::int)
    limit 100`
  let removed = 0
  for (const { thread_id, floor } of threads) removed += await pruneThread(sql, thread_id, floor)
  return removed
}

const pruneThread = (sql: Sql, thread_id: string, floor: number) =>
  sql.transaction(async (sql) => {
    const branchPoints = await sql.rows(StepRow)`
      select step from ai_engine.checkpoints p
      where thread_id = ${thread_id} and step < ${floor} and exists (
        select from ai_engine.threads b where b.branch_of = p.thread_id and b.branch_step = p.step)`
    for (const { step } of branchPoints) {
      await sql`
        update ai_engine.checkpoints set snapshot = ${json(await loadState(sql, thread_id, step))}
        where thread_id = ${thread_id} and step = ${step}`
    }
    const removed = await sql`
      delete from ai_engine.checkpoints p where thread_id = ${thread_id} and step < ${floor}
        and not exists (
          select from ai_engine.threads b where b.branch_of = p.thread_id and b.branch_step = p.step)
      returning step`
    return removed.length
  })
