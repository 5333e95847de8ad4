import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'
import type { Delta } from './delta.ts'
import { startExecute } from './start-run.ts'
import { stateAfter } from './start-state.ts'
import { loadState } from './state.ts'

describe.each(['pglite', 'postgres'] as const)('the start of a run on %s', (on) => {
  let database: Database
  let sql: Sql
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
  })
  afterAll(() => database.drop())

  const begin = (thread_id: string, input: Delta) =>
    startExecute(
      sql,
      { thread_id, organization_id: 'acme', user_id: null, session_id: null, matter_id: null },
      { messages: [], round: null },
      {
        kind: 'execute',
        node: 'start',
        next: 'count',
        input,
        user_message: '',
        graph_version: '1',
        origin: { request_id: '', traceparent: '' },
      },
    )
  const endRun = (thread_id: string) =>
    sql`update ai_engine.threads set status = 'idle' where thread_id = ${thread_id}`

  test('every run starts with the state that the database holds', async () => {
    const thread_id = `start:${on}`
    for (const message of ['one', 'two', 'three', 'four']) {
      const lease = await begin(thread_id, [
        ['set', ['round'], { message, skill: undefined }],
        ['add', ['messages'], [{ content: message }]],
      ])
      expect(lease.state).toMatchObject({ round: { message } })
      expect(lease.state).toEqual(await loadState(sql, thread_id, lease.head))
      await endRun(thread_id)
    }
  })

  test('a run starts after the last snapshot of its thread', async () => {
    const thread_id = `snapshot:${on}`
    await begin(thread_id, [['add', ['messages'], ['old']]])
    await sql`
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, delta, snapshot)
      select thread_id, 2, gen_random_uuid(), run_id, 'x', '[]', '{"messages": ["new"]}'
      from ai_engine.threads where thread_id = ${thread_id}`
    await sql`
      update ai_engine.threads set head = 2, status = 'idle' where thread_id = ${thread_id}`
    const lease = await begin(thread_id, [['add', ['messages'], ['newer']]])
    expect(lease.state).toEqual({ messages: ['new', 'newer'] })
    expect(lease.state).toEqual(await loadState(sql, thread_id, lease.head))
  })
})

test('an incomplete history gives no state, so that it is loaded again', () => {
  const at = { head: 4 }
  const snapshot = { step: 2, delta: [], snapshot: { n: 1 } }
  const later = { step: 3, delta: [['set', ['n'], 2]] as Delta, snapshot: null }
  expect(stateAfter(at, [snapshot, later], [], null)).toEqual({ n: 2 })
  expect(stateAfter(at, [snapshot], [], null)).toBeUndefined()
  expect(stateAfter(at, [later, later], [], null)).toBeUndefined()
  expect(stateAfter(at, null, [], null)).toBeUndefined()
})
