import type { Sql } from '../../_kit/sql/sql.ts'
import { watch } from './poll.ts'
import type { Line } from './translate.ts'

/** The newest of what a turn tells, for its readers in this process. Older events are in the database. */
export interface Feed {
  turn_id: string
  /** The newest event that is known here; undefined until somebody has looked. */
  head: number | undefined
  /** Relayed by this process, which tells it at once; otherwise the database is asked. */
  led: boolean
  /** Nothing more comes, for now. */
  closed: boolean
  /** The events after one of them; undefined where they do not reach back that far. */
  after(last: number): Line[] | undefined
  push(lines: Line[]): void
  /** What may be forgotten because the database has it. */
  written(n: number): void
  /** Resolves with true when there is news, with false after so much silence. */
  changed(sql: Sql, silenceMs: number): Promise<boolean>
  wake(): void
  leave(): void
}

export interface Feeds {
  join(turn_id: string): Feed
  /** The feed of a turn that this process relays from here on. */
  lead(turn_id: string, head: number): Feed
  /** Those whose news are in the database only. */
  followed(): Feed[]
}

interface Own extends Feed {
  joined(): Own
  restart(head: number): void
}

/** So many events are kept after they were written, for readers that are a little behind. */
const kept = 64

export function makeFeeds(): Feeds {
  const feeds = new Map<string, Own>()
  const join = (turn_id: string) => {
    const feed = feeds.get(turn_id) ?? makeFeed(turn_id)
    feeds.set(turn_id, feed)
    return feed.joined()
  }

  const all: Feeds = {
    join,
    lead(turn_id, head) {
      const feed = join(turn_id)
      Object.assign(feed, { led: true, closed: false })
      if (feed.head === undefined || feed.head < head) feed.restart(head)
      return feed
    },
    followed: () =>
      [...feeds.values()].filter(({ led, closed, head }) => !led && !closed && head !== undefined),
  }
  return all

  function makeFeed(turn_id: string): Own {
    let tail: Line[] = []
    let users = 0
    const waiting = new Set<(news: boolean) => void>()
    const wake = () => {
      for (const tell of waiting) tell(true)
      waiting.clear()
    }
    const feed: Own = {
      turn_id,
      head: undefined,
      led: false,
      closed: false,
      joined() {
        users++
        return feed
      },
      restart(head: number) {
        feed.head = head
        tail = []
      },
      after(last: number) {
        if (feed.head === undefined) return undefined
        const from = last - (feed.head - tail.length)
        return from < 0 ? undefined : tail.slice(from)
      },
      push(lines: Line[]) {
        const fresh = lines.filter(({ n }) => n > feed.head!)
        if (fresh.length === 0) return
        tail.push(...fresh)
        feed.head = fresh.at(-1)!.n
        if (!feed.led && tail.length > kept) tail = tail.slice(-kept)
        wake()
      },
      written(n: number) {
        const more = feed.head! - n
        if (tail.length > 2 * (kept + more)) tail = tail.slice(-(kept + more))
      },
      changed(sql: Sql, silenceMs: number) {
        const news = new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => told(false), silenceMs)
          const told = (news: boolean) => {
            clearTimeout(timer)
            waiting.delete(told)
            resolve(news)
          }
          waiting.add(told)
        })
        if (!feed.led) watch(all, sql)
        return news
      },
      wake,
      leave() {
        if (--users === 0) feeds.delete(turn_id)
      },
    }
    return feed
  }
}
