import type { Sql } from '../../../_kit/sql/sql.ts'
import { clockSkewMs, leaseMs, type RelayTurn } from '../turn.ts'
import { commitBatch, type TurnCommit } from './commit-batch.ts'
import { makeRelayLease } from './relay-lease.ts'
import type { LocalLog } from './turn-log.ts'

/** Commits the logs of all turns that this process relays, many turns in one statement. */
export interface BatchWriter {
  open(sql: Sql, turn: RelayTurn, log: LocalLog, leaseSafeUntil: number): TurnWriter
  /** Size of the uncommitted events of all turns, in characters. */
  uncommittedLength(): number
}

/** The commits of one turn. */
export interface TurnWriter {
  readonly leaseLost: boolean
  /** True while no other process can hold the turn. */
  leaseIsSafe(): boolean
  /** Records the last engine event that the log covers; the next commit stores its number. */
  advance(engineSeq: number): void
  /** Schedules a commit of the log. */
  schedule(): void
  /** Commits now. Failures are retried by the next call. */
  flush(): Promise<void>
  /** Stops committing. Resolves when no commit is in flight. */
  close(): Promise<void>
}

interface Entry {
  turn: RelayTurn
  log: LocalLog
  engineSeq: number
  leaseSafeUntil: number
  /** The relay lease that the last commit stored in the turn. */
  relayId: string | null
  leaseLost: boolean
  /** The commit that contains the newest events of the turn. */
  inFlight: Promise<unknown>
}

/** Events of a turn are gathered for this time before they are committed. */
const delayMs = 200
/** A commit includes turns that are due within this time. */
const dueSoonMs = 10
/** Limits of one statement: a long one delays the other turns. */
const limits = { length: 512 * 1024, turns: 32 }
const retryMs = 200

export function makeBatchWriter(): BatchWriter {
  const entries = new Set<Entry>()
  /** Entries to commit, with their due times. Turns that started apart are committed apart. */
  const due = new Map<Entry, number>()
  let flushing: Promise<void> | undefined
  let skipDelay = () => {}
  let renewal: ReturnType<typeof setInterval> | undefined
  const relayLease = makeRelayLease()

  function schedule(sql: Sql, entry: Entry) {
    if (due.has(entry)) return
    due.set(entry, performance.now() + delayMs)
    void flushWhenDue(sql)
  }

  async function flushNow(sql: Sql, entry: Entry) {
    due.set(entry, 0)
    const flushed = flushWhenDue(sql)
    skipDelay()
    await flushed
  }

  /** Waits for the first due time and commits. One commit runs at a time. */
  function flushWhenDue(sql: Sql): Promise<void> {
    flushing ??= new Promise<void>((resolve) => {
      const first = Math.min(...due.values())
      const timer = setTimeout(resolve, Math.max(0, first - performance.now()))
      skipDelay = () => {
        clearTimeout(timer)
        resolve()
      }
    })
      .then(() => flushDue(sql))
      .finally(() => {
        flushing = undefined
        if (due.size > 0) void flushWhenDue(sql)
      })
    return flushing
  }

  async function flushDue(sql: Sql) {
    const batch = takeDue()
    if (batch.length === 0) return
    const committed = commit(sql, batch, relayLease.id)
    for (const { entry } of batch) entry.inFlight = committed
    if (await committed) return
    for (const { entry } of batch) if (entries.has(entry)) due.set(entry, 0)
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }

  function takeDue() {
    const batch: (TurnCommit & { entry: Entry })[] = []
    let length = 0
    const soon = performance.now() + dueSoonMs
    for (const [entry, time] of due) {
      if (time > soon) continue
      if (length > limits.length || batch.length === limits.turns) break
      const { turn, log, engineSeq } = entry
      const events = log.getUncommitted()
      batch.push({ entry, turn, engineSeq, events, lastEventNo: log.newest })
      length += log.uncommittedLength
      due.delete(entry)
    }
    return batch
  }

  /** Renews the relay lease. Only turns that it does not cover yet are committed for their lease. */
  function renewLeases(sql: Sql) {
    renewal ??= setInterval(async () => {
      await relayLease.renew(sql).catch(() => {})
      for (const entry of entries) if (!relayLease.covers(entry.relayId)) schedule(sql, entry)
    }, leaseMs / 3)
  }

  function close(entry: Entry) {
    entries.delete(entry)
    due.delete(entry)
    if (entries.size > 0) return
    clearInterval(renewal)
    renewal = undefined
  }

  return {
    uncommittedLength: () => [...entries].reduce((sum, { log }) => sum + log.uncommittedLength, 0),
    open(sql, turn, log, leaseSafeUntil) {
      const { engine_seq: engineSeq } = turn
      const inFlight = Promise.resolve()
      const entry: Entry = {
        turn,
        log,
        engineSeq,
        leaseSafeUntil,
        relayId: null,
        leaseLost: false,
        inFlight,
      }
      entries.add(entry)
      renewLeases(sql)
      schedule(sql, entry)
      return {
        get leaseLost() {
          return entry.leaseLost
        },
        leaseIsSafe: () =>
          !entry.leaseLost &&
          (performance.now() < entry.leaseSafeUntil || relayLease.covers(entry.relayId)),
        advance(engineSeq) {
          entry.engineSeq = engineSeq
        },
        schedule: () => schedule(sql, entry),
        flush: () => flushNow(sql, entry),
        async close() {
          close(entry)
          await entry.inFlight
        },
      }
    },
  }
}

/** Commits a batch; false when the statement failed and nothing is known to be committed. */
async function commit(
  sql: Sql,
  batch: (TurnCommit & { entry: Entry })[],
  relayId: string | null,
): Promise<boolean> {
  const started = performance.now()
  try {
    const heldTurns = await commitBatch(sql, batch, relayId)
    for (const { entry, lastEventNo } of batch) {
      entry.leaseLost = !heldTurns.has(entry.turn.id)
      if (entry.leaseLost) continue
      entry.leaseSafeUntil = started + leaseMs - clockSkewMs
      entry.relayId = relayId
      entry.log.commit(lastEventNo)
    }
    return true
  } catch {
    return false
  }
}
