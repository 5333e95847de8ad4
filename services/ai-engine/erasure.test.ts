import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { newId } from '../_kit/ids.ts'
import { makeSql, type Sql } from '../_kit/sql/sql.ts'
import { erase } from './erasure.ts'
import { initialState } from './graph/state.ts'
import { appendEvents } from './store/commit.ts'
import { startExecute } from './store/start-run.ts'

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

/** Waits until a statement of another connection waits for a lock. */
const isBlocked = async () =>
  (
    await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
  ).length > 0

test('words that a running step commits during an erasure are erased too', async () => {
  const owner = { organization_id: 'acme', user_id: 'u-1', session_id: null, matter_id: null }
  const lease = await startExecute(sql, { ...owner, thread_id: `t:${newId()}` }, initialState, {
    kind: 'execute',
    node: 'start',
    next: 'load_context',
    input: [],
    user_message: 'private',
    graph_version: '1',
    origin: { request_id: '', traceparent: '' },
  })
  const request = { user_id: 'u-1', dry_run: false, matter_ids: [], file_ids: [] }
  let erasing: Promise<unknown> | undefined
  await sql.transaction(async (step) => {
    await appendEvents(step, lease, [{ seq: 1, line: 'private' }], [])
    erasing = sql.transaction((other) => erase(other, 'acme', request))
    await expect.poll(isBlocked).toBe(true)
  })
  await erasing
  expect(await sql`select line from ai_engine.events`).toEqual([])
  expect(await sql`select thread_id from ai_engine.threads`).toEqual([])
})
