import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../../_kit/sql/sql.ts'
import { decodeBatch, pageRows } from './event-store.ts'
import type { TurnLog } from './turn-log.ts'
import type { TurnLogs } from './turn-logs.ts'

/** Pauses between polls; each poll without news takes the next one. */
const pollBackoffMs = [50, 100, 200, 400, 800, 1_000]

const polling = new WeakSet<TurnLogs>()

/** Fills the remote logs of this process from the database, with one query for all, until there are none. */
export function startPolling(logs: TurnLogs, sql: Sql) {
  if (polling.has(logs)) return
  polling.add(logs)
  void (async () => {
    let silentPolls = 0
    try {
      for (;;) {
        const remote = logs.remote()
        if (remote.length === 0) return
        const news = await pollOnce(sql, remote).catch(() => false)
        silentPolls = news ? 0 : silentPolls + 1
        const pause = pollBackoffMs[Math.min(silentPolls, pollBackoffMs.length - 1)]!
        await new Promise((resolve) => setTimeout(resolve, pause * (0.75 + Math.random() / 2)))
      }
    } finally {
      polling.delete(logs)
    }
  })()
}

const PolledRow = z.object({
  id: z.string(),
  over: z.boolean(),
  first: z.int().nullable(),
  events: z.string().nullable(),
})

/** Returns true when there were new events. */
async function pollOnce(sql: Sql, remote: TurnLog[]): Promise<boolean> {
  const ids = textArray(remote.map(({ turnId }) => turnId))
  const marks = numberArray(
    remote.map(({ highWaterMark }) => highWaterMark!),
    'int4',
  )
  const rows = await sql.rows(PolledRow)`
    select t.id, t.status not in ('RUNNING') as over, e.first, e.events
    from unnest(${ids}, ${marks}) as l (id, high_water_mark)
    join consultations.turns t on t.id = l.id::uuid
    left join lateral (
      select first, events from consultations.turn_events
      where turn_id = t.id and last > l.high_water_mark order by first limit ${pageRows}) e on true
    order by t.id, e.first`
  const byTurn = Map.groupBy(rows, ({ id }) => id)
  let news = false
  for (const log of remote) {
    if (log.isLocal) continue
    const ofTurn = byTurn.get(log.turnId) ?? []
    const events = ofTurn.flatMap(({ first, events }) =>
      first === null || events === null ? [] : decodeBatch({ first, events }),
    )
    log.addCommitted(events)
    if (ofTurn.length < pageRows && (ofTurn[0]?.over ?? true)) log.close()
    if (events.length > 0) news = true
  }
  return news
}
