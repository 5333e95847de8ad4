import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { RunEvent } from '../store/commit.ts'
import type { Hub } from './hub.ts'

const EventRow = z.object({ seq: z.int(), line: z.string() })

/** How often the database is asked for what another process may have written. */
const pollMs = [20, 50, 100, 200, 400]

export const loadEvents = (sql: Sql, run_id: string, after: number) => sql.rows(EventRow)`
  select seq, line from ai_engine.events where run_id = ${run_id} and seq > ${after}
  order by seq limit 1000`

/** A run's last event is always `end`, whatever became of it. */
const isEnd = ({ line }: RunEvent) => line.startsWith('{"event":"end"')

/**
 * The events of a run after one of them, each once, until its end: what was written before, then what
 * is written now, by this process or by another.
 */
export async function* followRun(
  { sql, hub }: { sql: Sql; hub: Hub },
  run_id: string,
  after = 0,
): AsyncGenerator<RunEvent[]> {
  let buffered: RunEvent[] = []
  let wake = () => {}
  const stop = hub.listen(run_id, (lines) => {
    buffered.push(...lines)
    wake()
  })
  let last = after
  let idlePolls = 0
  try {
    for (;;) {
      const published = buffered
      buffered = []
      // Without a gap, what was heard stands for what was written.
      const lines =
        published.length > 0 && published[0]!.seq <= last + 1
          ? published.filter(({ seq }) => seq > last)
          : await loadEvents(sql, run_id, last)
      if (lines.length > 0) {
        last = lines.at(-1)!.seq
        idlePolls = 0
        yield lines
        if (isEnd(lines.at(-1)!)) return
        continue
      }
      if (buffered.length > 0) continue
      if (await hasEnded(sql, run_id, last)) return
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, pollMs[Math.min(idlePolls++, pollMs.length - 1)])
        wake = () => {
          clearTimeout(timer)
          resume()
        }
      })
    }
  } finally {
    stop()
  }
}

const EndedRow = z.object({ ended: z.boolean() })

/** True when the run is over and nothing of it comes after what was seen. */
async function hasEnded(sql: Sql, run_id: string, last: number): Promise<boolean> {
  const row = await sql.row(EndedRow)`
    select status <> 'running' and not exists (
      select from ai_engine.events e where e.run_id = r.run_id and e.seq > ${last}) as ended
    from ai_engine.runs r where run_id = ${run_id}`
  return row?.ended ?? true
}

const encoder = new TextEncoder()

/** The same as newline-delimited JSON. A client that goes away stops listening, not the run. */
export function ndjson(lines: AsyncGenerator<RunEvent[]>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${value.map(({ line }) => line).join('\n')}\n`))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
