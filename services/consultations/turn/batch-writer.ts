import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { encodeBatch, replaceOnConflict } from './event-log.ts'
import type { TurnFeed } from './feeds.ts'
import type { TurnEvent } from './translate.ts'
import { clockSkewMs, LeaseLost, leaseMs, leaseUntil, type RelayTurn } from './turn.ts'

/** What a relay tells, on its way into the database. */
export interface TurnPublisher {
  /**
   * Tells these: readers hear them at once, they are written soon after. A relay that takes over from what
   * was written makes the same events again, so nothing that was heard is ever different. Waits where the
   * lease may have run out, or where writing does not keep up.
   */
  publish(lines: TurnEvent[], engine_seq: number): Promise<void> | undefined
  /** What is not written yet, for the turn's last write. Nothing can be told after it. */
  drain(): Promise<TurnEvent[]>
  /** Gives up without writing any more. */
  discard(): void
}

export interface BatchWriter {
  /** The turn is surely ours until then. */
  open(sql: Sql, turn: RelayTurn, feed: TurnFeed, leaseSafeUntil: number): TurnPublisher
}

interface WriteBuffer {
  turn: RelayTurn
  feed: TurnFeed
  n: number
  engine_seq: number
  buffer: TurnEvent[]
  bytes: number
  /** Until then nobody else can have the turn. */
  leaseSafeUntil: number
  lost: boolean
  /** The write that its newest lines are in. */
  inFlight: Promise<unknown>
}

type Batch = (Pick<WriteBuffer, 'turn' | 'n' | 'engine_seq'> & {
  entry: WriteBuffer
  lines: TurnEvent[]
})[]

/** So long a turn's lines are gathered before they are written. */
const delayMs = 200
/** What is due so soon is written with what is due now. */
const nearMs = 10
/** Of what waits for one turn, and of one statement: a long one would keep the others' readers waiting. */
const limits = { bytesWaiting: 128 * 1024, bytes: 512 * 1024, turns: 32 }

/** Writes for the turns of this process together: one statement for many. */
export function makeBatchWriter(): BatchWriter {
  const entries = new Set<WriteBuffer>()
  /** What is to be written, and when. Turns that began apart are written apart, a few at a time. */
  const due = new Map<WriteBuffer, number>()
  let writing: Promise<void> | undefined
  let flushNow = () => {}
  let renewing: ReturnType<typeof setInterval> | undefined

  function add(sql: Sql, entry: WriteBuffer) {
    if (due.has(entry)) return
    due.set(entry, performance.now() + delayMs)
    void soon(sql)
  }

  async function now(sql: Sql, entry: WriteBuffer) {
    due.set(entry, 0)
    const written = soon(sql)
    flushNow()
    await written
  }

  /** Begins a write when one is due, unless one is under way. */
  function soon(sql: Sql): Promise<void> {
    writing ??= new Promise<void>((go) => {
      const first = Math.min(...due.values())
      const timer = setTimeout(go, Math.max(0, first - performance.now()))
      flushNow = () => {
        clearTimeout(timer)
        go()
      }
    })
      .then(() => flush(sql))
      .finally(() => {
        writing = undefined
        if (due.size > 0) void soon(sql)
      })
    return writing
  }

  async function flush(sql: Sql) {
    const batch: Batch = []
    let bytes = 0
    const near = performance.now() + nearMs
    for (const [entry, when] of due) {
      if (when > near) continue
      if (bytes > limits.bytes || batch.length === limits.turns) break
      const { turn, n, engine_seq, buffer: lines } = entry
      batch.push({ entry, turn, n, engine_seq, lines })
      bytes += entry.bytes
      Object.assign(entry, { waiting: [], bytes: 0 })
      due.delete(entry)
    }
    if (batch.length === 0) return
    const inFlight = commitBatch(sql, batch)
    for (const { entry } of batch) entry.inFlight = inFlight
    if (await inFlight) return
    // Another time, if the turn is still ours by then.
    for (const { entry } of batch) if (entries.has(entry)) due.set(entry, 0)
    await new Promise((go) => setTimeout(go, 200))
  }

  /** Every entry is written now and then, if only to keep its lease. */
  function keep(sql: Sql) {
    renewing ??= setInterval(() => {
      for (const entry of entries) add(sql, entry)
    }, leaseMs / 3)
  }

  function close(entry: WriteBuffer) {
    entries.delete(entry)
    due.delete(entry)
    if (entries.size > 0) return
    clearInterval(renewing)
    renewing = undefined
  }

  return {
    open(sql, turn, feed, leaseSafeUntil) {
      const entry: WriteBuffer = {
        turn,
        feed,
        n: turn.n,
        engine_seq: turn.engine_seq,
        buffer: [],
        bytes: 0,
        leaseSafeUntil,
        lost: false,
        inFlight: Promise.resolve(),
      }
      entries.add(entry)
      keep(sql)
      // The run is written down before long, even if it says nothing.
      add(sql, entry)
      const certain = () => performance.now() < entry.leaseSafeUntil

      async function caughtUp() {
        while (!entry.lost && (!certain() || entry.bytes > limits.bytesWaiting)) {
          await now(sql, entry)
        }
        if (entry.lost) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
      }

      return {
        publish(lines, engine_seq) {
          entry.buffer.push(...lines)
          entry.bytes += size(lines)
          entry.engine_seq = engine_seq
          if (lines.length > 0) {
            entry.n = lines.at(-1)!.n
            add(sql, entry)
          }
          if (!entry.lost && certain() && entry.bytes <= limits.bytesWaiting) {
            feed.push(lines)
            return undefined
          }
          return caughtUp().then(() => feed.push(lines))
        },
        async drain() {
          close(entry)
          await entry.inFlight
          if (entry.lost) throw new LeaseLost(`turn ${turn.id} is relayed by another`)
          return entry.buffer
        },
        discard: () => close(entry),
      }
    },
  }
}

const size = (lines: TurnEvent[]) => lines.reduce((sum, { line }) => sum + line.length + 40, 0)

/** Writes a batch; false when that failed, and its lines wait again. */
async function commitBatch(sql: Sql, batch: Batch): Promise<boolean> {
  const started = performance.now()
  try {
    const heldTurns = await write(sql, batch)
    for (const { entry, n } of batch) {
      entry.lost = !heldTurns.has(entry.turn.id)
      if (entry.lost) continue
      entry.leaseSafeUntil = started + leaseMs - clockSkewMs
      entry.feed.trimCommitted(n)
    }
    return true
  } catch {
    for (const { entry, lines } of batch) {
      entry.buffer = [...lines, ...entry.buffer]
      entry.bytes += size(lines)
    }
    return false
  }
}

const HeldTurn = z.object({ id: z.string() })

/** Writes what is still ours to write; says which turns that are. */
async function write(sql: Sql, batch: Batch): Promise<Set<string>> {
  const telling = batch.filter(({ lines }) => lines.length > 0)
  const ints = (list: number[]) => numberArray(list, 'int4')
  const heldTurns = await sql.rows(HeldTurn)`
    with given as (
      select * from unnest(${textArray(batch.map(({ turn }) => turn.id))},
        ${ints(batch.map(({ turn }) => turn.token))}, ${ints(batch.map(({ n }) => n))},
        ${ints(batch.map(({ engine_seq }) => engine_seq))},
        ${textArray(batch.map(({ turn }) => turn.run_id!))}) as g (id, token, n, engine_seq, run_id)),
    held as (
      update consultations.turns t set n = g.n, engine_seq = g.engine_seq, run_id = g.run_id::uuid,
        lease_until = ${leaseUntil()}
      from given g
      where t.id = g.id::uuid and t.token = g.token and t.status = 'RUNNING' returning t.id),
    told as (
      insert into consultations.turn_events (turn_id, first, last, lines)
      select held.id, e.first, e.last, e.lines
      from unnest(${textArray(telling.map(({ turn }) => turn.id))},
        ${ints(telling.map(({ lines }) => lines[0]!.n))}, ${ints(telling.map(({ n }) => n))},
        ${textArray(telling.map(({ lines }) => encodeBatch(lines)))}) as e (id, first, last, lines)
      join held on held.id = e.id::uuid
      ${replaceOnConflict})
    select id from held`
  return new Set(heldTurns.map(({ id }) => id))
}
