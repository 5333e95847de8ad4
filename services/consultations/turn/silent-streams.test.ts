import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  parseEvents,
  sessionsPath,
  stageConsultations,
} from '../../../tests/support/consultations.ts'
import { end, gate, token } from '../../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())

/** Number of database queries of the service so far. */
async function queryCount(): Promise<number> {
  const { text } = await at.call('GET', '/api/v1/internal/actuator/prometheus')
  const counts = text.matchAll(/^db_query_seconds_count\{[^}]*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

test('fifty silent turns cost one renewal of the relay lease every two seconds', async () => {
  const paused = gate()
  at.engine.state.plan = async function* () {
    yield token('wait')
    await paused.opened
    yield end('wait')
  }
  const streams = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const { id } = await at.open()
      return at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'hello' })
    }),
  )
  const texts = streams.map((stream) => stream.text())
  // The first renewal creates the relay lease; the commits after it store the lease in the turns.
  await new Promise((resolve) => setTimeout(resolve, 7_000))
  const before = await queryCount()
  expect(before).toBeGreaterThan(50)
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  expect((await queryCount()) - before).toBeLessThanOrEqual(8)

  const [expired] = await at.sql`
    select count(*)::int as count from consultations.turns
    where status = 'RUNNING' and lease_until < now()`
  expect(expired).toEqual({ count: 50 })
  await at.tick()
  paused.open()
  for (const text of await Promise.all(texts)) {
    expect(parseEvents(text).map(({ event }) => event)).toEqual(['delta', 'end'])
  }
  const [takeovers] = await at.sql`
    select count(*)::int as count from consultations.turns where token > 1`
  expect(takeovers).toEqual({ count: 0 })
}, 60_000)

test('a relay lease that lapsed lets another process take the turns over', async () => {
  const paused = gate()
  at.engine.state.plan = async function* () {
    yield token('one ')
    await paused.opened
    yield end('one two')
  }
  const { id } = await at.open()
  const response = await at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'hello' })
  const reading = response.text()
  const relay = async () =>
    (await at.sql`select relay_id from consultations.turns where session_id = ${id}`)[0]!.relay_id
  await expect.poll(relay, { timeout: 10_000 }).not.toBeNull()
  await at.sql`update consultations.relays set lease_until = now() - interval '1 minute'`
  await at.sql`
    update consultations.turns set lease_until = now() - interval '1 s' where session_id = ${id}`
  expect(await at.tick()).toBeGreaterThan(0)
  paused.open()
  expect(parseEvents(await reading).map(({ event }) => event)).toEqual(['delta', 'end'])
  expect(await at.messages(id)).toHaveLength(2)
}, 60_000)
