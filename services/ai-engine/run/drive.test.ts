import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { Fault } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { silent } from '../../_kit/log.ts'
import { makeMetrics } from '../../_kit/metrics.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { branch } from '../store/branch.ts'
import { makeCommitGroup } from '../store/commit-group.ts'
import { takeOverExpired } from '../store/lease.ts'
import { pruneCheckpoints } from '../store/prune-checkpoints.ts'
import { startExecute } from '../store/start-run.ts'
import { loadState } from '../store/state.ts'
import { drive, maxClaims } from './drive.ts'
import { followRun } from './follow.ts'
import type { Graph, NodeContext } from './graph.ts'
import { makeHub } from './hub.ts'
import type { RunDeps } from './run-deps.ts'

const cause = { request_id: '', traceparent: '' }

interface Counting {
  count: number
  list: number[]
}

const ending = (output: string, failure: { code: string; message: string } | null = null) => ({
  next: null,
  events: [['end' as const, { output, status: failure ? 'failed' : 'completed' }]] as [
    'end',
    object,
  ][],
  end: {
    status: failure ? ('failed' as const) : ('completed' as const),
    output,
    result: null,
    error: failure,
    skills: [],
    skill_version: null,
    card: null,
  },
})

/** Counts to a number, one step at a time. */
const counting = (
  to: number,
  overrides: Partial<Graph<Counting>['nodes']> = {},
): Graph<Counting> => ({
  nodes: {
    async count(state, at) {
      const count = state.count + 1
      at.emit('token', { node: 'count', content: `${count} ` })
      const after = { count, list: [...state.list, count] }
      return { state: after, next: count < to ? 'count' : 'done' }
    },
    done: async (state) => ({ state, ...ending(String(state.count)) }) as never,
    ...(overrides as Graph<Counting>['nodes']),
  },
  onNodeFailure: (state, _node, error) => ({ state, ...ending('', error) }) as never,
  onAbort: (state, error) => ({ state, ...ending('', error) }) as never,
})

describe.each(['pglite', 'postgres'] as const)('the engine on %s', (on) => {
  let database: Database
  let sql: Sql
  let engine: RunDeps
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
    const limits = { steps: 1_000, retries: 2, stepMs: 5_000, runMs: 60_000 }
    engine = {
      sql,
      commit: makeCommitGroup(),
      hub: makeHub(),
      log: silent,
      metrics: makeMetrics(),
      limits,
    }
  })
  afterAll(() => database.drop())

  const begin = (thread_id = `t:${newId()}`) =>
    startExecute(
      sql,
      { thread_id, organization_id: 'acme', user_id: null, session_id: null, matter_id: null },
      { count: 0, list: [] },
      {
        kind: 'execute',
        node: 'start',
        next: 'count',
        input: [['set', ['count'], 0]],
        user_message: '',
        graph_version: '1',
        origin: cause,
      },
    )
  const readEvents = async (run_id: string, after = 0) => {
    const lines: string[] = []
    for await (const batch of followRun(engine, run_id, { after }))
      lines.push(...batch.map(({ line }) => line))
    return lines.map((line) => JSON.parse(line))
  }

  test('a run completes step by step and its events are numbered without gaps', async () => {
    const lease = await begin()
    const following = readEvents(lease.run_id)
    await drive(engine, counting(5), lease)
    const events = await following
    expect(events.map(({ data }) => data.seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(events.at(-1)).toEqual({
      event: 'end',
      data: { output: '5', status: 'completed', seq: 6 },
    })
    expect(await readEvents(lease.run_id, 4)).toEqual(events.slice(4))
    expect(await loadState(sql, lease.thread_id, 7)).toEqual({ count: 5, list: [1, 2, 3, 4, 5] })
    expect(await loadState(sql, lease.thread_id, 3)).toEqual({ count: 2, list: [1, 2] })
  })

  test('what an attempt left running emits nothing after the attempt has failed', async () => {
    let failed: NodeContext | undefined
    const graph = counting(2, {
      async count(state, at) {
        if (!failed) {
          failed = at
          throw new Fault('UPSTREAM_UNAVAILABLE', 'Not yet.')
        }
        failed.emit('token', { node: 'count', content: 'stray ' })
        expect(failed.signal.aborted).toBe(true)
        at.emit('token', { node: 'count', content: 'word ' })
        return { state: { ...state, count: 2 }, next: 'done' }
      },
    })
    const lease = await begin()
    const following = readEvents(lease.run_id)
    await drive(engine, graph, lease)
    const events = await following
    expect(events.map(({ data }) => data.content ?? data.output)).toEqual(['word ', '2'])
  })

  test('a running thread rejects a second run', async () => {
    const lease = await begin()
    await expect(begin(lease.thread_id)).rejects.toMatchObject({ code: 'TURN_IN_PROGRESS' })
    await drive(engine, counting(1), lease)
    const again = await begin(lease.thread_id)
    expect(again.head).toBe(4)
    await drive(engine, counting(1), again)
  })

  test('a run with an expired lease is taken over once and continues from its last step', async () => {
    const lease = await begin()
    const dead = drive(
      engine,
      counting(5, {
        async count(state, at) {
          at.emit('token', { node: 'count', content: `${state.count + 1} ` })
          if (state.count === 2)
            await new Promise((_, reject) =>
              at.signal.addEventListener('abort', () => reject(at.signal.reason)),
            )
          return {
            state: { count: state.count + 1, list: [...state.list, state.count + 1] },
            next: 'count',
          }
        },
      }),
      lease,
    )
    await expect
      .poll(() => loadState(sql, lease.thread_id, 3).catch(() => null))
      .toMatchObject({ count: 2 })
    await sql`update ai_engine.threads set lease_until = now() - interval '1 second' where thread_id = ${lease.thread_id}`
    const [expired, none] = await Promise.all([takeOverExpired(sql, 5), takeOverExpired(sql, 5)])
    const leases = [...expired, ...none]
    expect(leases).toHaveLength(1)
    await drive(engine, counting(5), leases[0]!)
    await dead
    const events = await readEvents(lease.run_id)
    expect(events.map(({ data }) => data.content ?? data.output)).toEqual([
      '1 ',
      '2 ',
      '3 ',
      '4 ',
      '5 ',
      '5',
    ])
    expect(events.map(({ data }) => data.seq)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('a step with transient failures is retried and emits no text twice', async () => {
    let tries = 0
    const lease = await begin()
    await drive(
      engine,
      counting(1, {
        async count(state, at) {
          at.emit('token', { node: 'count', content: 'one ' })
          if (++tries < 3) throw new Error('not now')
          at.emit('token', { node: 'count', content: 'two' })
          return { state: { ...state, count: 1 }, next: 'done' }
        },
      }),
      lease,
    )
    const events = await readEvents(lease.run_id)
    expect(events.map(({ data }) => data.content ?? data.output)).toEqual(['one ', 'two', '1'])
  })

  /** Emits `count` words in one step; `interrupt` is called before each. */
  const talking = (
    count: number,
    interrupt: (word: number, signal: AbortSignal) => Promise<void>,
  ) =>
    counting(1, {
      async count(state, at) {
        for (let word = 1; word <= count; word++) {
          await interrupt(word, at.signal)
          at.emit('token', { node: 'count', content: `${word} ` })
          if (word % 50 === 0) await new Promise(setImmediate)
        }
        return { state: { ...state, count: 1 }, next: 'done' }
      },
    })
  const words = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index + 1} `).join('')
  const joinTokens = (events: any[]) =>
    events
      .filter(({ event }) => event === 'token')
      .map(({ data }) => data.content)
      .join('')
  const hang = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  const eventsIn = async (run_id: string) => {
    const rows = await sql`select line from ai_engine.events where run_id = ${run_id} order by seq`
    return rows.map(({ line }) => JSON.parse(line as string))
  }

  test('a step that was lost after 3,000 words and fails once more emits each word once', async () => {
    const lease = await begin()
    const lost = drive(
      engine,
      talking(3_000, async (word, signal) => {
        if (word > 300) return
        if (word % 30 === 0) await new Promise(setImmediate)
        if (word === 300) await hang(signal)
      }),
      lease,
    )
    const readText = async () => joinTokens(await eventsIn(lease.run_id))
    await expect.poll(readText, { timeout: 60_000 }).toBe(words(299))
    await sql`
      insert into ai_engine.events (run_id, seq, line)
      select run_id, max(seq) + n, '{"event":"progress","data":{"node":"count","message":"' || n || '"}}'
      from ai_engine.events, generate_series(1, 2500) n where run_id = ${lease.run_id}
      group by run_id, n`
    await sql`update ai_engine.threads set lease_until = now() - interval '1 minute' where thread_id = ${lease.thread_id}`
    const [expired] = await takeOverExpired(sql, 5)
    let failures = 0
    await drive(
      engine,
      talking(3_000, async (word) => {
        if (word === 400 && failures++ === 0) throw new Error('not now')
      }),
      expired!,
    )
    await lost
    const events = await readEvents(lease.run_id)
    expect(joinTokens(events)).toBe(words(3_000))
    expect(
      events
        .map(({ data }) => data.seq)
        .filter(Boolean)
        .at(-1),
    ).toBe(events.length)
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
  }, 120_000)

  test('the state after any step can be loaded and snapshots stay below twice the deltas', async () => {
    const lease = await begin()
    const large = 'x'.repeat(500)
    await drive(
      engine,
      counting(120, {
        async count({ count, list }) {
          const after = { count: count + 1, list: [...list, count + 1], [`m${count}`]: large }
          return { state: { ...after }, next: count + 1 < 120 ? 'count' : 'done' }
        },
      }),
      lease,
    )
    for (const step of [2, 17, 18, 19, 60, 121])
      expect(await loadState(sql, lease.thread_id, step)).toMatchObject({ count: step - 1 })
    const [sizes] = await sql`
      select count(*) filter (where snapshot is not null)::int as snapshots,
        sum(length(snapshot::text))::int as whole, sum(length(delta::text))::int as deltas
      from ai_engine.checkpoints
      where thread_id = ${lease.thread_id}`
    expect(sizes!.snapshots).toBeGreaterThan(2)
    expect(sizes!.snapshots).toBeLessThan(15)
    expect(sizes!.whole).toBeLessThan(2 * (sizes!.deltas as number))
  })

  test('a step longer than the lease is not started by another process', async () => {
    let begun = 0
    const lease = await begin()
    const driving = drive(
      engine,
      counting(1, {
        async count(state) {
          begun++
          await new Promise((go) => setTimeout(go, 4_000))
          return { state: { ...state, count: 1 }, next: 'done' }
        },
      }),
      lease,
    )
    for (let second = 0; second < 4; second++) {
      await new Promise((go) => setTimeout(go, 900))
      expect(await takeOverExpired(sql, 5)).toEqual([])
    }
    await driving
    expect(begun).toBe(1)
  })

  test('a runner that lost its lease commits nothing more', async () => {
    const lease = await begin()
    await sql`update ai_engine.threads set lease_until = now() - interval '1 second' where thread_id = ${lease.thread_id}`
    const [expired] = await takeOverExpired(sql, 5)
    await drive(engine, counting(3), lease)
    expect(
      await sql`select from ai_engine.checkpoints where thread_id = ${lease.thread_id}`,
    ).toHaveLength(1)
    await drive(engine, counting(3), expired!)
    expect((await readEvents(lease.run_id)).at(-1)!.data.output).toBe('3')
  })

  test('a run that was taken over the maximum number of times is abandoned', async () => {
    const lease = await begin()
    await sql`
      update ai_engine.threads set claims = ${maxClaims}, lease_until = now() - interval '1 minute' where thread_id = ${lease.thread_id}`
    const [expired] = await takeOverExpired(sql, 5)
    await drive(engine, counting(3), expired!)
    const [run] = await sql`select status, error from ai_engine.runs where run_id = ${lease.run_id}`
    expect(run).toMatchObject({ status: 'failed', error: { code: 'RUN_ABANDONED' } })
    expect((await readEvents(lease.run_id)).at(-1)!.event).toBe('end')
  })

  test('a recorded call is committed in the statement of the text that follows from it, or of the step', async () => {
    const statements: string[] = []
    const { driver } = database
    const recording = makeSql({
      ...driver,
      query(text, params) {
        statements.push(text)
        return driver.query(text, params)
      },
    })
    const call = { kind: 'tool' as const, skill: 's', name: 't' }
    const lease = await begin()
    await drive(
      { ...engine, sql: recording },
      counting(2, {
        async count(state, at) {
          const count = state.count + 1
          await at.record({ ...call, request: count }, async () => ({ answer: null }))
          if (count === 1) at.emit('token', { node: 'count', content: 'one ' })
          return { state: { ...state, count }, next: count < 2 ? 'count' : 'done' }
        },
      }),
      lease,
    )
    const inserts = statements.filter((text) => text.includes('insert into ai_engine.calls'))
    expect(inserts.map((text) => /into ai_engine\.(events|checkpoints)/.exec(text)?.[1])).toEqual([
      'events',
      'checkpoints',
    ])
    const calls = await sql`
      select step, answer from ai_engine.calls where thread_id = ${lease.thread_id} order by step`
    expect(calls).toEqual([
      { step: 2, answer: null },
      { step: 3, answer: null },
    ])
  })

  test('equal concurrent calls of a repeated attempt get their results in the order of the calls', async () => {
    const call = { kind: 'tool' as const, skill: 's', name: 't', request: 1 }
    const attempts: unknown[][] = []
    let made = 0
    const graph = counting(1, {
      async count(state, at) {
        const results = await Promise.all(
          [3, 1, 2].map((pause) =>
            at.record(call, async () => {
              const answer = ++made
              await new Promise((resolve) => setTimeout(resolve, 10 * pause))
              return { answer }
            }),
          ),
        )
        attempts.push(results.map(({ answer }) => answer))
        if (attempts.length === 1) throw new Error('again')
        return { state: { ...state, count: 1 }, next: 'done' }
      },
    })
    await drive(engine, graph, await begin())
    expect(made).toBe(3)
    expect(attempts[1]).toEqual(attempts[0])
  })

  test('a stop that is requested before the end is committed ends the run as stopped', async () => {
    const lease = await begin()
    const graph = counting(1, {
      async count(state, at) {
        at.emit('token', { node: 'count', content: 'one ' })
        await at.record({ kind: 'tool', skill: 's', name: 't', request: 1 }, async () => ({
          answer: 1,
        }))
        return { state: { ...state, count: 1 }, next: 'done' }
      },
      async done(state) {
        await sql`
          update ai_engine.threads set cancel_code = 'STOPPED' where thread_id = ${lease.thread_id}`
        return { state, ...ending('1') } as never
      },
    })
    await drive(engine, graph, lease)
    const [run] = await sql`select status, error from ai_engine.runs where run_id = ${lease.run_id}`
    expect(run).toMatchObject({ status: 'failed', error: { code: 'STOPPED' } })
    const events = await readEvents(lease.run_id)
    expect(events.map(({ data }) => data.seq)).toEqual([1, 2])
    await expect(begin(lease.thread_id)).resolves.toMatchObject({ thread_id: lease.thread_id })
  })

  test('a run that exceeds the step limit fails', async () => {
    const lease = await begin()
    const bounded = { ...engine, limits: { ...engine.limits, steps: 20 } }
    await drive(bounded, counting(Number.POSITIVE_INFINITY), lease)
    const [run] = await sql`select status, error from ai_engine.runs where run_id = ${lease.run_id}`
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TOO_MANY_STEPS' } })
  })

  test('pruning keeps the checkpoints where branches start, and states stay readable', async () => {
    const lease = await begin()
    const large = 'x'.repeat(500)
    await drive(
      engine,
      counting(200, {
        async count({ count, list }) {
          const state = { count: count + 1, list, [`m${count % 20}`]: `${count}${large}` }
          return { state, next: count + 1 < 200 ? 'count' : 'done' }
        },
      }),
      lease,
    )
    const { thread_id } = lease
    const [point] = await sql`
      select checkpoint_id from ai_engine.checkpoints where thread_id = ${thread_id} and step = 7`
    const branchRequest = { thread_id, checkpoint_id: point!.checkpoint_id as string, sync: false }
    const branched = await branch(sql, { ...branchRequest, organization: undefined, origin: cause })
    await drive(engine, counting(8), branched.lease!)
    const before = await Promise.all([7, 150, 202].map((step) => loadState(sql, thread_id, step)))
    expect(await pruneCheckpoints(sql, 60)).toBeGreaterThan(50)
    const steps =
      await sql`select step from ai_engine.checkpoints where thread_id = ${thread_id} order by step`
    expect(steps[0]!.step).toBe(7)
    expect(steps.length).toBeGreaterThanOrEqual(61)
    expect(await Promise.all([7, 150, 202].map((step) => loadState(sql, thread_id, step)))).toEqual(
      before,
    )
    expect(await pruneCheckpoints(sql, 60)).toBe(0)
  })
})
