import { expect, test } from 'vitest'
import type { RelayTurn } from '../turn.ts'
import type { BatchWriter } from './batch-writer.ts'
import { openPublisher } from './publisher.ts'
import { makeTurnLogs } from './turn-logs.ts'

/** A writer whose commits succeed when `flush` is called, and whose leases are safe from then on. */
const makeWriter = (): BatchWriter => ({
  uncommittedLength: () => 0,
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

const open = () => {
  const logs = makeTurnLogs()
  const shared = { sql: undefined as never, logs, writer: makeWriter() }
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
