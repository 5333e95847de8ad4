import type { Sql } from '../../_kit/sql/sql.ts'
import type { Lease } from '../store/lease.ts'
import { loadEvents } from './follow.ts'
import { makeReplayFilter } from './replay-filter.ts'

/** Loads the text that earlier processes emitted in the step after the lease's head, of any length. */
export async function loadEmitted(
  sql: Sql,
  { run_id, seq: committed, claims }: Lease,
  restartText?: string,
) {
  const filter = makeReplayFilter(restartText)
  let seq = committed
  if (claims <= 0) return { filter, seq }
  for (;;) {
    const events = await loadEvents(sql, run_id, seq)
    for (const event of events) filter.restore(event)
    if (events.length === 0) return { filter, seq }
    seq = events.at(-1)!.seq
  }
}
