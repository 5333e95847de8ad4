import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Feed, Feeds } from './feeds.ts'
import { divided, rowsAtATime } from './stored.ts'

/** How often the database is asked for what another process has written: less and less in silence. */
const pauses = [50, 100, 200, 400, 800, 1_000]

const watching = new WeakSet<Feeds>()

/** Asks for the news of all turns that are read here and relayed elsewhere, with one query for all. */
export function watch(feeds: Feeds, sql: Sql) {
  if (watching.has(feeds)) return
  watching.add(feeds)
  void (async () => {
    let silent = 0
    try {
      for (;;) {
        const followed = feeds.followed()
        if (followed.length === 0) return
        const news = await ask(sql, followed).catch(() => false)
        silent = news ? 0 : silent + 1
        const pause = pauses[Math.min(silent, pauses.length - 1)]!
        await new Promise((go) => setTimeout(go, pause * (0.75 + Math.random() / 2)))
      }
    } finally {
      watching.delete(feeds)
    }
  })()
}

const News = z.object({
  id: z.string(),
  over: z.boolean(),
  first: z.int().nullable(),
  lines: z.string().nullable(),
})

/** True when there was something. */
async function ask(sql: Sql, followed: Feed[]): Promise<boolean> {
  const ids = textArray(followed.map(({ turn_id }) => turn_id))
  const heads = numberArray(
    followed.map(({ head }) => head!),
    'int4',
  )
  const rows = await sql.rows(News)`
    select t.id, t.status not in ('RUNNING') as over, e.first, e.lines
    from unnest(${ids}, ${heads}) as f (id, head)
    join consultations.turns t on t.id = f.id::uuid
    left join lateral (
      select first, lines from consultations.turn_events
      where turn_id = t.id and last > f.head order by first limit ${rowsAtATime}) e on true
    order by t.id, e.first`
  const byTurn = Map.groupBy(rows, ({ id }) => id)
  let news = false
  for (const feed of followed) {
    const of = byTurn.get(feed.turn_id) ?? []
    const lines = of.flatMap(({ first, lines }) =>
      first === null || lines === null ? [] : divided({ first, lines }),
    )
    if (feed.led) continue
    feed.push(lines)
    if (of.length < rowsAtATime && (of[0]?.over ?? true)) {
      feed.closed = true
      feed.wake()
    }
    if (lines.length > 0) news = true
  }
  return news
}
