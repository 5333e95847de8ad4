import * as z from 'zod'
import { newId } from '../../_kit/ids.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { storableJson } from '../../_kit/storable.ts'
import { type Lease, leaseHeld } from './lease.ts'

const LastSeq = z.object({ seq: z.int() })

interface Abandonment {
  error: { code: string; message: string }
  /** The text that clients received. */
  output: string
  /** The state from which the thread continues. */
  state: unknown
}

/**
 * Ends a run as failed without reading its checkpoints or events, so that it works on any data. Writes a
 * full snapshot: the next turn does not depend on earlier checkpoints. A run that has moved since it was claimed is
 * left to the next attempt: `state` is older than its last step.
 */
export async function abandonRun(sql: Sql, lease: Lease, { error, output, state }: Abandonment) {
  const { run_id } = lease
  const last = await sql.row(LastSeq)`
    select greatest(coalesce(max(seq), 0), ${lease.seq}::int) as seq from ai_engine.events
    where run_id = ${run_id}`
  const seq = last!.seq
  const lines = [
    JSON.stringify({ event: 'error', data: { ...error, seq: seq + 1 } }),
    JSON.stringify({ event: 'end', data: { output, status: 'failed', seq: seq + 2 } }),
  ]
  const snapshot = storableJson(state)
  await sql`
    with t as (
      update ai_engine.threads set status = 'idle', card_id = null, next = '', claims = 0,
        head = greatest(head, coalesce((
          select max(step) from ai_engine.checkpoints p where p.thread_id = ${lease.thread_id}), 0)) + 1,
        seq = ${seq + 2}, base_bytes = ${snapshot.length}, delta_bytes = 0, updated_at = now()
      where ${leaseHeld(lease)} and head = ${lease.head} returning thread_id, head),
    b as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta, snapshot)
      select thread_id, head, ${newId()}::uuid, ${run_id}::uuid, 'abandoned', null, '[]'::jsonb,
        ${snapshot}::text::jsonb from t),
    e as (
      insert into ai_engine.events (run_id, seq, line)
      select ${run_id}::uuid, ${seq}::int + n::int, line
      from t, unnest(${textArray(lines)}) with ordinality made (line, n))
    update ai_engine.runs set status = 'failed', output = ${output}, error = ${json(error)},
      ended_at = now() from t where run_id = ${run_id}`
}
