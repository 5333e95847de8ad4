import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { decodeBatch, pageRows } from './event-log.ts'
import type { Feeds, TurnFeed } from './feeds.ts'

/** How often the database is asked for what another process has written: less and less in silence. */
const pollBackoffMs = [50, 100, 200, 400, 800, 1_000]

const polling = new WeakSet<Feeds>()

/** Asks for the news of all turns that are read here and relayed elsewhere, with one query for all. */
export function startPolling(feeds: Feeds, sql: Sql) {
  if (polling.has(feeds)) return
  polling.add(feeds)
  void (async () => {
    let silent = 0
    try {
      for (;;) {
        const remote = feeds.remoteFeeds()
        if (remote.length === 0) return
        const news = await pollOnce(sql, remote).catch(() => false)
        silent = news ? 0 : silent + 1
        const pause = pollBackoffMs[Math.min(silent, pollBackoffMs.length - 1)]!
        await new Promise((go) => setTimeout(go, pause * (0.75 + Math.random() / 2)))
      }
    } finally {
      polling.delete(feeds)
    }
  })()
}

const PolledRow = z.object({
  id: z.string(),
  over: z.boolean(),
  first: z.int().nullable(),
  lines: z.string().nullable(),
})

/** True when there was something. */
async function pollOnce(sql: Sql, feeds: TurnFeed[]): Promise<boolean> {
  const ids = textArray(feeds.map(({ turn_id }) => turn_id))
  const heads = numberArray(
    feeds.map(({ highWaterMark: head }) => head!),
    'int4',
  )
  const rows = await sql.rows(PolledRow)`
    select t.id, t.status not in ('RUNNING') as over, e.first, e.lines
    from unnest(${ids}, ${heads}) as f (id, head)
    join consultations.turns t on t.id = f.id::uuid
    left join lateral (
      select first, lines from consultations.turn_events
      where turn_id = t.id and last > f.head order by first limit ${pageRows}) e on true
    order by t.id, e.first`
  const byTurn = Map.groupBy(rows, ({ id }) => id)
  let news = false
  for (const feed of feeds) {
    const of = byTurn.get(feed.turn_id) ?? []
    const lines = of.flatMap(({ first, lines }) =>
      first === null || lines === null ? [] : decodeBatch({ first, lines }),
    )
    if (feed.isLocal) continue
    feed.push(lines)
    if (of.length < pageRows && (of[0]?.over ?? true)) {
      feed.closed = true
      feed.wake()
    }
    if (lines.length > 0) news = true
  }
  return news
}
