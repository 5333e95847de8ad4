import { afterAll, beforeAll, expect, test } from 'vitest'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())

const execute = async (session_id: string, user_id: string, matter_id: string) =>
  (await at.post('/agent/execute', { session_id, user_id, matter_id, message: story })).data
const erase = (body: object, headers = {}) =>
  at.call('POST', '/api/v1/internal/erasure', { body, headers })
const status = async (thread: string) => (await at.get(`/agent/threads/${thread}/state`)).status

test('the threads of a user or matter are erased with all their records', async () => {
  const own = await execute('s-1', 'gone', 'm-1')
  const other = await execute('s-2', 'stays', 'm-2')
  const { data } = await erase({ user_id: 'gone', dry_run: true })
  expect(data.erased).toMatchObject({ threads: 1, runs: 1, cards: 1 })
  expect(data.erased.events).toBeGreaterThan(0)
  const foreign = await erase({ user_id: 'gone' }, { 'x-organization-id': 'foreign' })
  expect(foreign.data.erased.threads).toBe(0)
  expect(await status(own.thread_id)).toBe(200)
  expect((await erase({ user_id: 'gone' })).data).toEqual(data)
  expect((await erase({ user_id: 'gone' })).data.erased.threads).toBe(0)
  expect([await status(own.thread_id), await status(other.thread_id)]).toEqual([404, 200])
  expect((await erase({ matter_id: 'm-2' })).data.erased.threads).toBe(1)
  for (const table of ['events', 'spans', 'checkpoints', 'calls', 'cards', 'outbox', 'runs']) {
    expect([table, await at.sql.statement(`select 1 from ai_engine.${table}`)]).toEqual([table, []])
  }
})

test('a thread belongs to the client: of a lawyer who spoke in it only the name is erased', async () => {
  const client = await execute('s-3', 'client', 'm-3')
  const body = { thread_id: client.thread_id, user_id: 'lawyer' }
  const answer = { ...body, user_response: answersTo(client.card) }
  const headers = { 'x-user-type': 'lawyer' }
  expect((await at.post('/agent/resume', answer, headers)).status).toBe(200)
  const erased = await erase({ user_id: 'lawyer' })
  expect(erased.data.erased).toMatchObject({ threads: 0, runs: 0, anonymized_runs: 1 })
  expect(await status(client.thread_id)).toBe(200)
  for (const table of ['runs', 'calls', 'threads'])
    expect(
      await at.sql.statement(`select 1 from ai_engine.${table} where user_id = 'lawyer'`),
    ).toEqual([])
  expect((await erase({ user_id: 'client' })).data.erased).toMatchObject({ threads: 1, runs: 2 })
})
