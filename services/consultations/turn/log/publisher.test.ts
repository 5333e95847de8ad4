import { expect, test } from 'vitest'
import type { RelayTurn } from '../turn.ts'
import type { BatchWriter } from './batch-writer.ts'
import { openPublisher } from './publisher.ts'
import { makeTurnLogs } from './turn-logs.ts'

/** A writer whose commits succeed when `flush` is called, and whose leases are safe from then on. */
const makeWriter = (uncommittedLength = 0): BatchWriter => ({
  uncommittedLength: () => uncommittedLength,
  open(_sql, _turn, log, leaseSafeUntil) {
    let safe = leaseSafeUntil > 0
    return {
      leaseLost: false,
      leaseIsSafe: () => safe,
      advance() {},
      schedule() {},
      async flush() {
        await Promise.resolve()
        log.commit(log.newest)
        safe = true
      },
      async close() {},
    }
  },
})

const turn = { id: 'turn', last_event_no: 2 } as RelayTurn
const event = (number: number) => ({ number, text: `event ${number}` })

const open = (uncommittedLength = 0) => {
  const logs = makeTurnLogs()
  const shared = { sql: undefined as never, logs, writer: makeWriter(uncommittedLength) }
  const log = logs.acquire(turn.id)
  return {
    log,
    relay: (leaseSafeUntil: number) => openPublisher(shared, turn, leaseSafeUntil),
  }
}

test('a superseded relay that is released drops no event of the next relay', async () => {
  const { log, relay } = open()
  const old = relay(Number.POSITIVE_INFINITY)
  const next = relay(Number.NEGATIVE_INFINITY)
  const published = next.publish([event(3)], 3)
  old.release()
  await published
  expect(log.isLocal).toBe(true)
  next.finish([event(3), event(4)])
  expect(log.after(2)).toEqual([event(3), event(4)])
})

test('a superseded relay can neither publish nor close', async () => {
  const { log, relay } = open()
  const old = relay(Number.POSITIVE_INFINITY)
  const next = relay(Number.NEGATIVE_INFINITY)
  await next.publish([event(3)], 3)
  expect(() => old.publish([event(3)], 3)).toThrow('relayed by another')
  old.finish([event(3), event(4)])
  expect(log.closed).toBe(false)
  await next.publish([event(4)], 4)
  expect(log.after(2)).toEqual([event(3), event(4)])
})

test('a burst is published before its commit while the process has room for it', () => {
  const { log, relay } = open()
  const publisher = relay(Number.POSITIVE_INFINITY)
  expect(publisher.publish([{ number: 3, text: 'x'.repeat(200_000) }], 3)).toBeUndefined()
  expect(log.highWaterMark).toBe(3)
})

test.each([
  ['the process holds too much', 20_000_000, 200_000],
  ['the turn holds too much', 0, 2_000_000],
])('a burst is published after its commit if %s', async (_, uncommittedLength, length) => {
  const { log, relay } = open(uncommittedLength)
  const publisher = relay(Number.POSITIVE_INFINITY)
  const published = publisher.publish([{ number: 3, text: 'x'.repeat(length) }], 3)
  expect(log.highWaterMark).toBe(2)
  await published
  expect(log.highWaterMark).toBe(3)
})
