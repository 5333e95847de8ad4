import { makeTurnLog, type TurnLog } from './turn-log.ts'

/** The logs of all turns that are relayed or read in this process. */
export interface TurnLogs {
  /** Returns the log of a turn and holds it until `release`. */
  acquire(turnId: string): TurnLog
  release(log: TurnLog): void
  /** Logs that are filled from the database. */
  remote(): TurnLog[]
}

export function makeTurnLogs(): TurnLogs {
  const logs = new Map<string, { log: TurnLog; users: number }>()
  return {
    acquire(turnId) {
      const entry = logs.get(turnId) ?? { log: makeTurnLog(turnId), users: 0 }
      entry.users++
      logs.set(turnId, entry)
      return entry.log
    },
    release({ turnId }) {
      const entry = logs.get(turnId)!
      if (--entry.users === 0) logs.delete(turnId)
    },
    remote: () =>
      [...logs.values()].flatMap(({ log }) =>
        log.isLocal || log.closed || log.highWaterMark === undefined ? [] : log,
      ),
  }
}
