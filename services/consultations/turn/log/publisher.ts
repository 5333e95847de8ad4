import type { Sql } from '../../../_kit/sql/sql.ts'
import type { TurnEvent } from '../event.ts'
import { LeaseLost, type RelayTurn } from '../turn.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { TurnLogs } from './turn-logs.ts'

/** Writes the events of one relayed turn into its log. */
export interface TurnPublisher {
  /**
   * Publishes events to subscribers and schedules their commit. While the lease is certainly held, events are
   * published first. Otherwise, and when too much is uncommitted, it returns a promise to wait for.
   */
  publish(events: TurnEvent[], engineSeq: number): Promise<void> | undefined
  /** Stops committing and returns the uncommitted events, for the last statement of the turn. */
  drain(): Promise<TurnEvent[]>
  /** Publishes the events that the last statement has committed and closes the log. */
  finish(committed: TurnEvent[]): void
  /** Ends the relay. Uncommitted events are lost here; the next relay produces them again. */
  release(): void
}

/**
 * Uncommitted characters above which publishing waits for a commit. A burst of one turn may use more than its share
 * while the process as a whole has room.
 */
const maxUncommitted = { turn: 128 * 1024, burst: 1024 * 1024, process: 16 * 1024 * 1024 }

/** The lease is certainly held until `leaseSafeUntil` (milliseconds of `performance.now`). */
export function openPublisher(
  { sql, logs, writer }: { sql: Sql; logs: TurnLogs; writer: BatchWriter },
  turn: RelayTurn,
  leaseSafeUntil: number,
): TurnPublisher {
  const shared = logs.acquire(turn.id)
  const log = shared.openLocal(turn.last_event_no)
  const commits = writer.open(sql, turn, log, leaseSafeUntil)
  const isLost = () => commits.leaseLost || log.superseded
  const assertLease = () => {
    if (isLost()) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
  }
  const hasRoom = () =>
    log.uncommittedLength <= maxUncommitted.turn ||
    (log.uncommittedLength <= maxUncommitted.burst &&
      writer.uncommittedLength() <= maxUncommitted.process)
  const canPublish = () => commits.leaseIsSafe() && hasRoom()

  async function publishAfterCommit() {
    while (!isLost() && !canPublish()) await commits.flush()
    assertLease()
    log.publish()
  }

  return {
    publish(events, engineSeq) {
      assertLease()
      log.append(events)
      commits.advance(engineSeq)
      if (events.length > 0) commits.schedule()
      if (!canPublish()) return publishAfterCommit()
      log.publish()
      return undefined
    },
    async drain() {
      await commits.close()
      assertLease()
      return log.getUncommitted()
    },
    finish(committed) {
      log.append(committed.filter(({ number }) => number > log.newest))
      log.commit(log.newest)
      log.publish()
      log.close()
    },
    release() {
      void commits.close()
      log.release()
      logs.release(shared)
    },
  }
}
