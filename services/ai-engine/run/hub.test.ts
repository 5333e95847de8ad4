import { expect, test } from 'vitest'
import { newDatabase } from '../../../tests/support/databases.ts'
import { newId } from '../../_kit/ids.ts'
import { type Driver, makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { followRun } from './follow.ts'
import { makeHub } from './hub.ts'

const streams = 1_000

const insertRun = (sql: Sql, run_id: string) => sql`
  insert into ai_engine.runs (run_id, thread_id, organization_id, round, kind, trace_id,
    request_id, traceparent, user_message, first_step)
  values (${run_id}, ${run_id}, 'acme', 1, 'execute', ${newId()}, '', '', '', 1)`

/** Queries of `streams` idle streams in two seconds, after all of them are open. */
async function countIdleQueries(local: boolean): Promise<number> {
  const database = await newDatabase('postgres')
  let queries = 0
  const counting: Driver = {
    ...database.driver,
    query: (text, params) => {
      queries++
      return database.driver.query(text, params)
    },
  }
  const sql = makeSql(counting)
  const hub = makeHub()
  const runs = Array.from({ length: streams }, () => newId())
  for (const run_id of runs) {
    await insertRun(sql, run_id)
    if (local) hub.begin(run_id)
  }
  const stop = new AbortController()
  const open = runs.map(async (run_id) => {
    for await (const _ of followRun({ sql, hub }, run_id, { signal: stop.signal }));
  })
  await expect.poll(() => queries, { timeout: 20_000 }).toBeGreaterThanOrEqual(3 * streams)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const before = queries
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const counted = queries - before
  stop.abort()
  await Promise.all(open)
  await database.drop()
  return counted
}

test('1,000 idle streams of local runs cost no queries', async () => {
  expect(await countIdleQueries(true)).toBe(0)
}, 60_000)

test('1,000 idle streams of remote runs cost one query per poll', async () => {
  const counted = await countIdleQueries(false)
  console.log(`${streams} silent remote streams: ${counted} queries in 2 s`)
  expect(counted).toBeLessThanOrEqual(11)
  expect(counted).toBeGreaterThan(0)
}, 60_000)

test('a follower of a run that was just started receives its events without queries', async () => {
  const query = () => Promise.reject(new Error('queried'))
  const sql = makeSql({ query, transaction: query, end: async () => {} })
  const hub = makeHub()
  hub.begin('run')
  const events = followRun({ sql, hub }, 'run', { isNew: true })
  const first = events.next()
  const published = [
    { seq: 1, line: '{"event":"token"}' },
    { seq: 2, line: '{"event":"end"}' },
  ]
  hub.publish('run', published)
  expect((await first).value).toEqual(published)
  expect((await events.next()).done).toBe(true)
})

test('a follower receives the events of a run that this process lost and another one continues', async () => {
  const database = await newDatabase('pglite')
  const sql = makeSql(database.driver)
  const hub = makeHub()
  const run_id = newId()
  await insertRun(sql, run_id)
  hub.begin(run_id)
  const events = followRun({ sql, hub }, run_id, { isNew: true })
  const first = events.next()
  const local = [{ seq: 1, line: '{"event":"token"}' }]
  hub.publish(run_id, local)
  expect((await first).value).toEqual(local)
  const next = events.next()
  hub.end(run_id)
  // The follower has read what was there; only a poll finds what follows.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await sql`
    insert into ai_engine.events (run_id, seq, line) values (${run_id}, 2, '{"event":"end"}')`
  expect((await next).value).toEqual([{ seq: 2, line: '{"event":"end"}' }])
  await database.drop()
})
