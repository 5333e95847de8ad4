import type { Sql } from '../../_kit/sql/sql.ts'
import { startPolling } from './poll.ts'
import type { TurnEvent } from './translate.ts'

/** The newest of what a turn tells, for its readers in this process. Older events are in the database. */
export interface TurnFeed {
  turn_id: string
  /** The newest event that is known here; undefined until somebody has looked. */
  highWaterMark: number | undefined
  /** Relayed by this process, which tells it at once; otherwise the database is asked. */
  isLocal: boolean
  /** Nothing more comes, for now. */
  closed: boolean
  /** The events after one of them; undefined where they do not reach back that far. */
  after(last: number): TurnEvent[] | undefined
  push(lines: TurnEvent[]): void
  /** What may be forgotten because the database has it. */
  trimCommitted(n: number): void
  /** Resolves with true when there is news, with false after so much silence. */
  waitForEvents(sql: Sql, silenceMs: number): Promise<boolean>
  wake(): void
  leave(): void
}

export interface Feeds {
  join(turn_id: string): TurnFeed
  /** The feed of a turn that this process relays from here on. */
  openLocal(turn_id: string, highWaterMark: number): TurnFeed
  /** Those whose news are in the database only. */
  remoteFeeds(): TurnFeed[]
}

interface ManagedFeed extends TurnFeed {
  joined(): ManagedFeed
  restart(highWaterMark: number): void
}

/** So many events are kept after they were written, for readers that are a little behind. */
const retainedEvents = 64

export function makeFeeds(): Feeds {
  const feeds = new Map<string, ManagedFeed>()
  const join = (turn_id: string) => {
    const feed = feeds.get(turn_id) ?? makeFeed(turn_id)
    feeds.set(turn_id, feed)
    return feed.joined()
  }

  const all: Feeds = {
    join,
    openLocal(turn_id, highWaterMark) {
      const feed = join(turn_id)
      Object.assign(feed, { led: true, closed: false })
      if (feed.highWaterMark === undefined || feed.highWaterMark < highWaterMark)
        feed.restart(highWaterMark)
      return feed
    },
    remoteFeeds: () =>
      [...feeds.values()].filter(
        ({ isLocal, closed, highWaterMark }) => !isLocal && !closed && highWaterMark !== undefined,
      ),
  }
  return all

  function makeFeed(turn_id: string): ManagedFeed {
    let tail: TurnEvent[] = []
    let users = 0
    const waiting = new Set<(news: boolean) => void>()
    const wake = () => {
      for (const tell of waiting) tell(true)
      waiting.clear()
    }
    const feed: ManagedFeed = {
      turn_id,
      highWaterMark: undefined,
      isLocal: false,
      closed: false,
      joined() {
        users++
        return feed
      },
      restart(highWaterMark: number) {
        feed.highWaterMark = highWaterMark
        tail = []
      },
      after(last: number) {
        if (feed.highWaterMark === undefined) return undefined
        const from = last - (feed.highWaterMark - tail.length)
        return from < 0 ? undefined : tail.slice(from)
      },
      push(lines: TurnEvent[]) {
        const fresh = lines.filter(({ n }) => n > feed.highWaterMark!)
        if (fresh.length === 0) return
        tail.push(...fresh)
        feed.highWaterMark = fresh.at(-1)!.n
        if (!feed.isLocal && tail.length > retainedEvents) tail = tail.slice(-retainedEvents)
        wake()
      },
      trimCommitted(n: number) {
        const more = feed.highWaterMark! - n
        if (tail.length > 2 * (retainedEvents + more)) tail = tail.slice(-(retainedEvents + more))
      },
      waitForEvents(sql: Sql, silenceMs: number) {
        const news = new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => told(false), silenceMs)
          const told = (news: boolean) => {
            clearTimeout(timer)
            waiting.delete(told)
            resolve(news)
          }
          waiting.add(told)
        })
        if (!feed.isLocal) startPolling(all, sql)
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
