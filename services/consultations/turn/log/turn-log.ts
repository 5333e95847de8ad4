import type { TurnEvent } from '../event.ts'

/**
 * The newest events of one turn in this process, in one buffer. The log owns the high-water mark: the number
 * of the newest event that subscribers may see. Older events are in the database.
 */
export interface TurnLog {
  readonly turnId: string
  /** True while this process relays the turn. Otherwise a poll fills the log from the database. */
  readonly isLocal: boolean
  /** True when no events follow for now. */
  readonly closed: boolean
  /** Undefined until the first read of the database or the first relay. */
  readonly highWaterMark: number | undefined
  /** Sets the first high-water mark of a log that was empty so far. */
  startAt(eventNo: number): void
  /**
   * Makes this process the relay of the turn. Events after `committed` are dropped and the mark goes back to it:
   * the relay produces the same events again. Subscribers skip those they have seen. An earlier relay of the turn
   * in this process, which has lost its lease, can no longer change the log.
   */
  openLocal(committed: number): LocalLog
  /** Adds events that another process has committed. */
  addCommitted(events: TurnEvent[]): void
  close(): void
  /** Visible events after a number; undefined when the buffer does not reach back that far. */
  after(eventNo: number): TurnEvent[] | undefined
  /** Resolves with true when something changed, with false after `timeoutMs`. */
  waitForEvents(timeoutMs: number): Promise<boolean>
}

/** The relay's side of a log. After a later relay has opened the log, every method has no effect. */
export interface LocalLog {
  /** True when a later relay has opened the log. */
  readonly superseded: boolean
  /** Number of the newest buffered event, published or not. */
  readonly newest: number
  /** Size of the events that are not committed yet, in characters. */
  readonly uncommittedLength: number
  /** Buffers events. Subscribers see them after `publish`. */
  append(events: TurnEvent[]): void
  publish(): void
  getUncommitted(): TurnEvent[]
  /** Marks events up to this number as committed; all but the newest of them may be dropped. */
  commit(eventNo: number): void
  /** Ends the turn: no events follow. */
  close(): void
  /** Ends the relay: unpublished events are dropped, and subscribers read the database from here on. */
  release(): void
}

/** Number of committed events that stay in memory for subscribers slightly behind. */
const retainedEvents = 64

/** Characters per event beside its text: the id line and separators. */
const overhead = 40

export const eventsSize = (events: TurnEvent[]) =>
  events.reduce((sum, { text }) => sum + text.length + overhead, 0)

export function makeTurnLog(turnId: string): TurnLog {
  let closed = false
  let highWaterMark: number | undefined
  /** Events after `before`, without gaps. */
  let buffer: TurnEvent[] = []
  let before = 0
  let committed = 0
  let uncommittedLength = 0
  let relay: LocalLog | undefined
  const waiting = new Set<(changed: boolean) => void>()

  const newest = () => before + buffer.length
  function wake() {
    for (const resolve of waiting) resolve(true)
    waiting.clear()
  }
  function reset(eventNo: number) {
    buffer = []
    before = eventNo
    committed = eventNo
    uncommittedLength = 0
  }
  function trim() {
    const retained = newest() - committed + retainedEvents
    if (buffer.length <= 2 * retained) return
    before = newest() - retained
    buffer = buffer.slice(-retained)
  }
  function publish() {
    highWaterMark = newest()
    wake()
  }

  function close() {
    closed = true
    wake()
  }

  function makeLocal(): LocalLog {
    /** Wraps a change that only the newest relay may make. */
    const ifCurrent =
      <A extends unknown[]>(change: (...args: A) => void) =>
      (...args: A) => {
        if (relay === local) change(...args)
      }
    const local: LocalLog = {
      get superseded() {
        return relay !== local
      },
      get newest() {
        return newest()
      },
      get uncommittedLength() {
        return uncommittedLength
      },
      append: ifCurrent((events: TurnEvent[]) => {
        buffer.push(...events)
        uncommittedLength += eventsSize(events)
      }),
      publish: ifCurrent(publish),
      getUncommitted: () => (relay === local ? buffer.slice(committed - before) : []),
      commit: ifCurrent((eventNo: number) => {
        const written = buffer.slice(committed - before, eventNo - before)
        uncommittedLength -= eventsSize(written)
        committed = eventNo
        trim()
      }),
      close: ifCurrent(close),
      release: ifCurrent(() => {
        relay = undefined
        buffer = buffer.slice(0, highWaterMark! - before)
        committed = newest()
        uncommittedLength = 0
        wake()
      }),
    }
    return local
  }

  return {
    turnId,
    get isLocal() {
      return relay !== undefined
    },
    get closed() {
      return closed
    },
    get highWaterMark() {
      return highWaterMark
    },
    startAt(eventNo) {
      if (highWaterMark !== undefined) return
      highWaterMark = eventNo
      reset(eventNo)
    },
    openLocal(eventNo) {
      closed = false
      if (before <= eventNo && eventNo <= newest()) buffer = buffer.slice(0, eventNo - before)
      else reset(eventNo)
      committed = eventNo
      uncommittedLength = 0
      highWaterMark = eventNo
      relay = makeLocal()
      return relay
    },
    addCommitted(events) {
      const fresh = events.filter(({ number }) => number > newest())
      if (fresh.length === 0) return
      if (fresh[0]!.number !== newest() + 1) reset(fresh[0]!.number - 1)
      buffer.push(...fresh)
      committed = newest()
      trim()
      publish()
    },
    close,
    after(eventNo) {
      if (highWaterMark === undefined || eventNo < before) return undefined
      return buffer.slice(eventNo - before, highWaterMark - before)
    },
    waitForEvents(timeoutMs) {
      return new Promise((resolve) => {
        const settle = (changed: boolean) => {
          clearTimeout(timer)
          waiting.delete(settle)
          resolve(changed)
        }
        const timer = setTimeout(() => settle(false), timeoutMs)
        waiting.add(settle)
      })
    },
  }
}
