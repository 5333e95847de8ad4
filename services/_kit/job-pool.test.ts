import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { makeJobPool } from './job-pool.ts'
import { enqueue, type JobHandler } from './jobs.ts'
import { silent } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { makeSql, type Sql } from './sql/sql.ts'

const JobRow = z.object({ status: z.string(), attempts: z.int(), max_attempts: z.int() })

describe.each(['pglite', 'postgres'] as const)('job pool on %s', (on) => {
  let database: Database
  let sql: Sql
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
  })
  beforeEach(async () => void (await sql`delete from memory.jobs`))
  afterAll(() => database.drop())

  const makePool = (handlers: Record<string, JobHandler<null>>) =>
    makeJobPool({
      sql,
      schema: 'memory',
      deps: null,
      handlers,
      log: silent,
      metrics: makeMetrics(),
    })
  const enqueueAll = async (...kinds: string[]) => {
    for (const kind of kinds) await enqueue(sql, 'memory', { kind })
  }
  const untilAborted = (_: null, __: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  test('a pool runs two jobs of a kind at a time and does not delay other kinds', async () => {
    const done: string[] = []
    const pool = makePool({ slow: untilAborted, fast: async () => done.push('fast') })
    await enqueueAll('slow', 'slow', 'slow', 'fast')
    expect(await pool.startDue(() => {})).toBe(3)
    await vi.waitFor(() => expect(done).toEqual(['fast']))
    await enqueueAll('fast')
    expect(await pool.startDue(() => {})).toBe(1)
    await vi.waitFor(() => expect(done).toEqual(['fast', 'fast']))
    await pool.stop(1_000)
  })

  test('a pool releases its jobs at shutdown without counting the attempt', async () => {
    const pool = makePool({ obedient: untilAborted })
    await enqueueAll('obedient')
    await pool.startDue(() => {})
    await pool.stop(5_000)
    expect(await pool.startDue(() => {})).toBe(0)
    const ran: string[] = []
    const next = makePool({ obedient: async () => ran.push('obedient') })
    expect(await next.startDue(() => {})).toBe(1)
    await vi.waitFor(async () =>
      expect(
        await sql.rows(JobRow)`select status, attempts, max_attempts from memory.jobs`,
      ).toEqual([{ status: 'DONE', attempts: 2, max_attempts: 9 }]),
    )
    expect(ran).toEqual(['obedient'])
  })

  test('a pool that is stopped while it claims a job releases the job at once', async () => {
    const pool = makePool({ late: async () => Promise.reject(new Error('must not run')) })
    await enqueueAll('late')
    const claiming = pool.startDue(() => {})
    await pool.stop(1_000)
    expect(await claiming).toBe(0)
    const ran: string[] = []
    const next = makePool({ late: async () => ran.push('late') })
    expect(await next.startDue(() => {})).toBe(1)
    await next.stop(1_000)
    expect(ran).toEqual(['late'])
  })

  test('a pool stops within the grace period although a job ignores the signal', async () => {
    const pool = makePool({ stubborn: () => new Promise(() => {}) })
    await enqueueAll('stubborn')
    await pool.startDue(() => {})
    const started = performance.now()
    await pool.stop(300)
    expect(performance.now() - started).toBeLessThan(3_000)
    const next = makePool({ stubborn: async () => {} })
    expect(await next.startDue(() => {})).toBe(1)
    await next.stop(1_000)
  })
})
