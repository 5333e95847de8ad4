import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { RunEvent } from '../store/commit.ts'
import type { Hub } from './hub.ts'

const EventRow = z.object({ seq: z.int(), line: z.string() })

/** Loads the next page of events of a run. */
export const loadEvents = (sql: Sql, run_id: string, after: number) => sql.rows(EventRow)`
  select seq, line from ai_engine.events where run_id = ${run_id} and seq > ${after}
  order by seq limit 1000`

export interface FollowOptions {
  /** Number of the last event that the follower has. Default: 0. */
  after?: number
  /** True if the caller has just started the run. */
  isNew?: boolean
  signal?: AbortSignal
}

/** The last event of a run is always `end`, also of a failed run. */
const isEnd = ({ line }: RunEvent) => line.startsWith('{"event":"end"')

/**
 * Yields the events of a run after `after`, each once, until the run ends: first those in the database,
 * then those that this or another process commits. Waiting costs no queries of its own. A run that was
 * started by the caller has no events in the database yet.
 */
export async function* followRun(
  { sql, hub }: { sql: Sql; hub: Hub },
  run_id: string,
  { after = 0, isNew = false, signal }: FollowOptions = {},
): AsyncGenerator<RunEvent[]> {
  let buffered: RunEvent[] = []
  let last = after
  let stale = !isNew
  let wake = () => {}
  const stop = hub.follow(sql, run_id, {
    after: () => last,
    onEvents(events) {
      buffered.push(...events)
      wake()
    },
    onWake() {
      stale = true
      wake()
    },
  })
  const onAbort = () => wake()
  signal?.addEventListener('abort', onAbort)
  try {
    while (!signal?.aborted) {
      // Published events without a gap need not be read from the database.
      const published = buffered.filter(({ seq }) => seq > last)
      const gap = published.findIndex(({ seq }, index) => seq !== last + 1 + index)
      buffered = []
      let events = gap < 0 ? published : published.slice(0, gap)
      if (gap >= 0) stale = true
      if (events.length === 0 && stale) {
        // A wake-up during the queries makes the result stale again.
        stale = false
        events = await loadEvents(sql, run_id, last)
        if (events.length === 0 && (await hasEnded(sql, run_id, last))) return
        // A full page may be followed by another.
        if (events.length > 0) stale = true
      }
      if (events.length > 0) {
        last = events.at(-1)!.seq
        yield events
        if (isEnd(events.at(-1)!)) return
      } else if (buffered.length === 0 && !stale && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = () => {}
      }
    }
  } finally {
    stop()
    signal?.removeEventListener('abort', onAbort)
  }
}

const EndedRow = z.object({ ended: z.boolean() })

/** True if the run is over and has no event after `last`. */
async function hasEnded(sql: Sql, run_id: string, last: number): Promise<boolean> {
  const row = await sql.row(EndedRow)`
    select status <> 'running' and not exists (
      select from ai_engine.events e where e.run_id = r.run_id and e.seq > ${last}) as ended
    from ai_engine.runs r where run_id = ${run_id}`
  return row?.ended ?? true
}

const encoder = new TextEncoder()

/** Encodes events as newline-delimited JSON. A client that disconnects does not stop the run. */
export function ndjson(
  follow: (signal: AbortSignal) => AsyncGenerator<RunEvent[]>,
): ReadableStream<Uint8Array> {
  const disconnected = new AbortController()
  const batches = follow(disconnected.signal)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await batches.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${value.map(({ line }) => line).join('\n')}\n`))
    },
    async cancel() {
      disconnected.abort()
      await batches.return(undefined)
    },
  })
}
