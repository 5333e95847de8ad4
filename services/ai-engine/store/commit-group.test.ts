import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { newId } from '../../_kit/ids.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { advance, type StepCommit } from './commit.ts'
import { makeCommitGroup } from './commit-group.ts'
import { type Lease, LeaseLost, takeOverExpired } from './lease.ts'
import { startExecute } from './start-run.ts'
import { loadState } from './state.ts'

describe.each(['pglite', 'postgres'] as const)('steps of several threads on %s', (on) => {
  let database: Database
  let sql: Sql
  let statements = 0
  /** Statements are executed, but their responses are lost. */
  let loseResponses = false
  beforeAll(async () => {
    database = await newDatabase(on)
    const { driver } = database
    sql = makeSql({
      ...driver,
      async query(text, params) {
        statements++
        const rows = await driver.query(text, params)
        if (loseResponses) throw new Error('connection closed')
        return rows
      },
    })
  })
  afterAll(() => database.drop())

  const begin = () =>
    startExecute(
      sql,
      {
        thread_id: `t:${newId()}`,
        organization_id: 'acme',
        user_id: null,
        session_id: null,
        matter_id: null,
      },
      { count: 0 },
      {
        kind: 'execute',
        node: 'start',
        next: 'count',
        input: [],
        user_message: '',
        graph_version: '1',
        origin: { request_id: '', traceparent: '' },
      },
    )
  const beginMany = (number: number) => Promise.all(Array.from({ length: number }, begin))

  /** A step with a checkpoint, an event and a span; the number tells the threads apart. */
  const makeStep = (lease: Lease, count: number): StepCommit => ({
    steps: [{ node: 'count', next: 'count', delta: [['set', ['count'], count]] }],
    state: { count },
    lines: [{ seq: lease.seq + 1, line: `{"count":${count}}` }],
    seq: lease.seq + 1,
    spans: [
      {
        step: lease.head + 1,
        span_id: newId(),
        parent_id: null,
        name: `span "${count}", \\{}`,
        kind: 'node',
        started_at: new Date().toISOString(),
        duration_ms: 1.5,
        status: 'ok',
        attributes: { count },
        error: null,
      },
    ],
    calls: [],
    following: { lines: [], calls: [] },
    effects: [],
    delivered: [],
    refused: [],
    end: null,
  })

  /** Takes over the lease of one thread, also if those of others have expired. */
  async function takeOver({ thread_id }: Lease): Promise<Lease> {
    await sql`
      update ai_engine.threads set lease_until = now() + interval '1 hour'
        * case when thread_id = ${thread_id} then -1 else 1 end`
    const [taken] = await takeOverExpired(sql, 1)
    return taken!
  }

  /** Commits a step of every thread at the same time. */
  function commitAll(leases: Lease[], edit: (write: StepCommit, index: number) => void = () => {}) {
    const commit = makeCommitGroup()
    return Promise.allSettled(
      leases.map((lease, index) => {
        const write = makeStep(lease, index)
        edit(write, index)
        return commit(sql, lease, advance(lease, write), write)
      }),
    )
  }
  const statuses = (results: PromiseSettledResult<unknown>[]) => results.map(({ status }) => status)
  const counts = (leases: Lease[]) =>
    Promise.all(
      leases.map(async ({ thread_id, head }) => {
        const stored = await sql`select 1 from ai_engine.checkpoints
          where thread_id = ${thread_id} and step = ${head + 1}`
        if (stored.length === 0) return null
        return ((await loadState(sql, thread_id, head + 1)) as { count: number }).count
      }),
    )

  test('are committed by few statements, each with its own state, events and spans', async () => {
    const leases = await beginMany(12)
    statements = 0
    expect(statuses(await commitAll(leases))).toEqual(leases.map(() => 'fulfilled'))
    expect(statements).toBe(3)
    expect(await counts(leases)).toEqual(leases.map((_, index) => index))
    for (const [index, { run_id, trace_id, thread_id, head }] of leases.entries()) {
      const events = await sql`select seq, line from ai_engine.events where run_id = ${run_id}`
      expect(events).toEqual([{ seq: 1, line: `{"count":${index}}` }])
      const spans = await sql`
        select name, attributes, duration_ms, error from ai_engine.spans where trace_id = ${trace_id}`
      expect(spans).toEqual([
        {
          name: `span "${index}", \\{}`,
          attributes: { count: index },
          duration_ms: 1.5,
          error: null,
        },
      ])
      const [thread] = await sql`
        select head, seq, next, status from ai_engine.threads where thread_id = ${thread_id}`
      expect(thread).toEqual({ head: head + 1, seq: 1, next: 'count', status: 'running' })
    }
  })

  test('of which one has lost its lease: only that one writes nothing', async () => {
    const leases = await beginMany(8)
    await takeOver(leases[5]!)
    const results = await commitAll(leases)
    expect(statuses(results)).toEqual(
      leases.map((_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    )
    expect((results[5] as PromiseRejectedResult).reason).toBeInstanceOf(LeaseLost)
    expect(await counts(leases)).toEqual(leases.map((_, index) => (index === 5 ? null : index)))
  })

  test('of which the database refuses one: only that one fails', async () => {
    const leases = await beginMany(8)
    const results = await commitAll(leases, (write, index) => {
      if (index === 6) write.lines.push({ ...write.lines[0]! })
    })
    expect(statuses(results)).toEqual(
      leases.map((_, index) => (index === 6 ? 'rejected' : 'fulfilled')),
    )
    expect(await counts(leases)).toEqual(leases.map((_, index) => (index === 6 ? null : index)))
  })

  test('of which one cannot be written as JSON: only that one fails', async () => {
    const leases = await beginMany(8)
    const results = await commitAll(leases, (write, index) => {
      if (index === 6) write.spans[0]!.attributes = { number: 1n }
    })
    expect(statuses(results)).toEqual(
      leases.map((_, index) => (index === 6 ? 'rejected' : 'fulfilled')),
    )
    expect(await counts(leases)).toEqual(leases.map((_, index) => (index === 6 ? null : index)))
  })

  test('of which one is taken over by this process: only the new lease writes', async () => {
    const leases = await beginMany(6)
    const taken = await takeOver(leases[5]!)
    const all = [...leases, taken]
    const results = await commitAll(all)
    expect(statuses(results)).toEqual(
      all.map((_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    )
    expect((results[5] as PromiseRejectedResult).reason).toBeInstanceOf(LeaseLost)
    expect(await counts(leases)).toEqual([0, 1, 2, 3, 4, 6])
    const events = await sql`select line from ai_engine.events where run_id = ${taken.run_id}`
    expect(events).toEqual([{ line: '{"count":6}' }])
  })

  test('whose commit gets no response: every thread stops and nothing is written twice', async () => {
    const leases = await beginMany(8)
    loseResponses = true
    const results = await commitAll(leases)
    loseResponses = false
    expect(statuses(results)).toEqual(leases.map(() => 'rejected'))
    expect(await counts(leases)).toEqual(leases.map((_, index) => index))
    for (const { run_id } of leases)
      expect(await sql`select seq from ai_engine.events where run_id = ${run_id}`).toHaveLength(1)
  })

  test('of which one was cancelled: it is told so', async () => {
    const leases = await beginMany(6)
    const { thread_id } = leases[4]!
    await sql`update ai_engine.threads set cancel_code = 'STOPPED' where thread_id = ${thread_id}`
    const results = await commitAll(leases)
    expect(results.map((result) => 'value' in result && result.value.cancel_code)).toEqual(
      leases.map((_, index) => (index === 4 ? 'STOPPED' : null)),
    )
  })

  test('that end their runs: each run has its own end, and a cancelled one does not end', async () => {
    const leases = await beginMany(8)
    const cancelled = leases[5]!
    await sql`
      update ai_engine.threads set cancel_code = 'STOPPED' where thread_id = ${cancelled.thread_id}`
    const results = await commitAll(leases, (write, index) => {
      write.steps[0]!.next = null
      write.end = {
        status: index === 4 ? 'failed' : 'completed',
        output: `output "${index}"`,
        result: index === 3 ? null : { index },
        error: index === 4 ? { code: 'X', message: '4' } : null,
        skills: ['chat'],
        skill_version: index === 2 ? null : '1',
        card: null,
      }
    })
    expect(statuses(results)).toEqual(
      leases.map((_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    )
    for (const [index, { run_id }] of leases.entries()) {
      const [row] = await sql`
        select r.status, r.output, r.result, r.error, r.skills, r.skill_version, t.status as thread,
          r.ended_at is not null as ended
        from ai_engine.runs r join ai_engine.threads t on t.thread_id = r.thread_id
        where r.run_id = ${run_id}`
      expect(row).toMatchObject(
        index === 5
          ? { status: 'running', thread: 'running', ended: false }
          : {
              status: index === 4 ? 'failed' : 'completed',
              thread: 'idle',
              ended: true,
              output: `output "${index}"`,
              result: index === 3 ? null : { index },
              error: index === 4 ? { code: 'X', message: '4' } : null,
              skills: ['chat'],
              skill_version: index === 2 ? null : '1',
            },
      )
    }
  })

  test.runIf(on === 'postgres')(
    'do not wait for a thread that another transaction locks',
    async () => {
      const leases = await beginMany(8)
      const { thread_id } = leases[7]!
      const done: number[] = []
      await sql.transaction(async (other) => {
        await other`select from ai_engine.threads where thread_id = ${thread_id} for update`
        const commit = makeCommitGroup()
        const committing = leases.map(async (lease, index) => {
          const write = makeStep(lease, index)
          await commit(sql, lease, advance(lease, write), write)
          done.push(index)
        })
        await Promise.all(committing.slice(0, 7))
        expect(done).not.toContain(7)
        void committing[7]!
      })
      await expect.poll(() => done.length).toBe(8)
      expect(await counts(leases)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    },
  )
})
