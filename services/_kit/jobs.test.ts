import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { deleteFinishedJobs, enqueue, type JobHandler, runJobs, type Worker } from './jobs.ts'
import { silent } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { makeSql, type Sql } from './sql/sql.ts'

const Job = z.object({ status: z.string(), attempts: z.int(), last_error: z.string().nullable() })

describe.each(['pglite', 'postgres'] as const)('jobs on %s', (on) => {
  let database: Database
  let sql: Sql
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
  })
  beforeEach(async () => void (await sql`delete from memory.jobs`))
  afterAll(() => database.drop())

  const worker = (handlers: Record<string, JobHandler<null>>, leaseMs = 30_000): Worker<null> => ({
    sql,
    schema: 'memory',
    deps: null,
    handlers,
    log: silent,
    metrics: makeMetrics(),
    leaseMs,
  })
  const jobs = () =>
    sql.rows(Job)`select status, attempts, last_error from memory.jobs order by created_at`
  const due = () =>
    sql`update memory.jobs set run_at = now() - interval '1 second' where status = 'PENDING'`

  test('a job runs once with its payload', async () => {
    const seen: unknown[] = []
    const one = worker({ greet: async (_, payload) => seen.push(payload) })
    await enqueue(sql, 'memory', { kind: 'greet', payload: { name: '张三' } })
    expect(await runJobs(one)).toBe(1)
    expect(await runJobs(one)).toBe(0)
    expect(seen).toEqual([{ name: '张三' }])
    expect(await jobs()).toEqual([{ status: 'DONE', attempts: 1, last_error: null }])
  })

  test('a job enqueued in a rolled back transaction does not exist', async () => {
    const failing = sql.transaction(async (tx) => {
      await enqueue(tx, 'memory', { kind: 'greet' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await jobs()).toEqual([])
  })

  test('enqueueing the key of a pending job again creates no second job', async () => {
    expect(await enqueue(sql, 'memory', { kind: 'greet', key: 'k' })).toBe(true)
    expect(await enqueue(sql, 'memory', { kind: 'greet', key: 'k' })).toBe(false)
    await runJobs(worker({ greet: async () => {} }))
    expect(await enqueue(sql, 'memory', { kind: 'greet', key: 'k' })).toBe(true)
  })

  // The embedded database has a single session, so a query outside an open transaction would block.
  if (on === 'postgres') {
    test('a pending job does not run while a transaction enqueues its key again', async () => {
      const greeted: unknown[] = []
      const one = worker({ greet: async () => greeted.push(1) })
      await enqueue(sql, 'memory', { kind: 'greet', key: 'k' })
      await sql.transaction(async (tx) => {
        await enqueue(tx, 'memory', { kind: 'greet', key: 'k' })
        expect(await runJobs(one)).toBe(0)
      })
      expect(await runJobs(one)).toBe(1)
    })
  }

  test('a failed job is DONE if another job with its key is pending', async () => {
    const fail = async () => {
      await enqueue(sql, 'memory', { kind: 'fail', key: 'k' })
      throw new Error('no')
    }
    await enqueue(sql, 'memory', { kind: 'fail', key: 'k' })
    expect(await runJobs(worker({ fail }))).toBe(1)
    const states = (await jobs()).map(({ status }) => status)
    expect(states.sort()).toEqual(['DONE', 'PENDING'])
  })

  test('a failing job backs off and is DEAD after its last attempt', async () => {
    const one = worker({ fail: async () => Promise.reject(new Error('still broken')) })
    await enqueue(sql, 'memory', { kind: 'fail', maxAttempts: 3 })
    await runJobs(one)
    expect(await runJobs(one)).toBe(0)
    for (let attempt = 0; attempt < 3; attempt++) {
      await due()
      await runJobs(one)
    }
    expect(await jobs()).toEqual([{ status: 'DEAD', attempts: 3, last_error: 'still broken' }])
    expect(one.metrics.text()).toContain('jobs_total{kind="fail",outcome="dead"} 1')
    await deleteFinishedJobs(one)
    expect(one.metrics.text()).toContain('jobs{kind="fail",status="DEAD"} 1')
  })

  test('all finished jobs are deleted after seven days, in several batches', async () => {
    for (let n = 0; n < 5; n++) await enqueue(sql, 'memory', { kind: 'greet' })
    await sql`update memory.jobs set status = 'DONE', finished_at = now() - interval '8 days'`
    await enqueue(sql, 'memory', { kind: 'greet' })
    await deleteFinishedJobs(worker({}), 2)
    expect((await jobs()).map(({ status }) => status)).toEqual(['PENDING'])
  })

  test('a worker does not take jobs without a handler', async () => {
    await enqueue(sql, 'memory', { kind: 'other' })
    expect(await runJobs(worker({ greet: async () => {} }))).toBe(0)
  })

  test('concurrent workers run each job once', async () => {
    const ran: number[] = []
    const handlers = { count: async (_: null, payload: { n: number }) => void ran.push(payload.n) }
    for (let n = 0; n < 40; n++) await enqueue(sql, 'memory', { kind: 'count', payload: { n } })
    const drain = async (one: Worker<null>) => {
      while ((await runJobs(one)) > 0);
    }
    await Promise.all(Array.from({ length: 6 }, () => drain(worker(handlers))))
    expect(ran.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('a worker that lost its lease can neither finish nor fail the job', async () => {
    await enqueue(sql, 'memory', { kind: 'slow' })
    const slow = worker({
      slow: async () => {
        await sql`update memory.jobs set lease_until = now() - interval '1 second'`
        await runJobs(worker({ slow: async () => {} }))
        throw new Error('too late')
      },
    })
    await runJobs(slow)
    expect(await jobs()).toEqual([{ status: 'DONE', attempts: 2, last_error: null }])
  })
})

test('a job of a killed process is run by another process', async () => {
  const database = await newDatabase('postgres')
  const sql = makeSql(database.driver)
  await enqueue(sql, 'memory', { kind: 'stuck' })
  const script = new URL('../../tests/support/stuck-worker.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')

  const ran: number[] = []
  const one: Worker<null> = {
    sql,
    schema: 'memory',
    deps: null,
    handlers: { stuck: async (_, __, { attempt }) => ran.push(attempt) },
    log: silent,
    metrics: makeMetrics(),
  }
  while ((await runJobs(one)) === 0) await new Promise((go) => setTimeout(go, 100))
  expect(ran).toEqual([2])
  await database.drop()
})
