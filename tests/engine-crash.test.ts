import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import type { Peer } from '../services/_kit/peer.ts'
import type { Service, Started } from '../services/_kit/service.ts'
import { type Driver, makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import engine from '../services/ai-engine/service.ts'
import matter from '../services/matter/service.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { ai, answersTo, parseNdjson, story } from './support/engine.ts'
import { type KillSwitch, makeKillSwitch } from './support/kill-switch.ts'
import type { ScriptedModel } from './support/scripted-model.ts'
import { longAnswer, talkativeModel } from './support/talkative-model.ts'

const key = 'a-key-for-crash-tests'
/** Distance of the kill points. Default: every point. */
const every = Number(process.env.CRASH_EVERY ?? 1)
const question = '什么是诉讼时效？'
const headers = { 'x-internal-api-key': key, 'x-organization-id': 'acme', 'x-user-id': '7' }

describe.each(['postgres', 'pglite'] as const)('a conversation on %s', (on) => {
  let database: Database
  let sql: Sql
  let model: ScriptedModel
  let matters: Started
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
    model = await talkativeModel()
    matters = start(matter, database.driver, () => () => Promise.reject(new Error('none')))
  })
  afterAll(async () => {
    await model.close()
    await database.drop()
  })

  function start(service: Service, driver: Driver, peers: (name: string) => Peer): Started {
    const env = {
      ENVIRONMENT: 'test',
      INTERNAL_API_KEY: key,
      AI_BASE_URL: model.baseUrl,
      AI_MODEL: 'scripted',
    }
    const host = { env, peers, log: silent, metrics: makeMetrics(), version: '0' }
    return service.start({ ...host, database: driver, runtime: 'node' })
  }
  const startEngine = (killSwitch: KillSwitch) =>
    start(engine, killSwitch.driver(database.driver), (name) =>
      killSwitch.peer(
        name === 'matter-service' ? matters.fetch : () => Promise.reject(new Error('none')),
      ),
    )

  async function request(started: Started, method: string, path: string, body?: unknown) {
    const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
    const httpRequest = new Request(`http://x${path}`, {
      ...init,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const response = await started.fetch(httpRequest)
    return { status: response.status, ...((await response.json()) as { data: any }) }
  }

  /** Runs a conversation to its end. Repeats a request only if no run was created for it. */
  async function converse(killAt: number) {
    const { data } = await request(matters, 'POST', '/api/v1/matters', { title: 'Loan' })
    const thread_id = `crash:${data.id}`
    const killSwitch = makeKillSwitch(killAt)
    let running = startEngine(killSwitch)
    const turns = [
      () => ['/agent/execute', { thread_id, matter_id: data.id, message: story }] as const,
      (card: any) => ['/agent/resume', { thread_id, user_response: answersTo(card) }] as const,
      () => ['/agent/execute', { thread_id, message: question, skill: 'chat' }] as const,
    ]
    let card: unknown
    for (const [index, turn] of turns.entries()) {
      const [path, body] = turn(card)
      let answer = await request(running, 'POST', `${ai}${path}`, body).catch(() => undefined)
      if (answer?.status !== 200) {
        expect(killSwitch.isKilled()).toBe(true)
        running = startEngine(makeKillSwitch(Number.POSITIVE_INFINITY))
        await takeOver(running, thread_id)
        if ((await loadRuns(thread_id)).length === index)
          answer = await request(running, 'POST', `${ai}${path}`, body)
      }
      const [last] = await loadRuns(thread_id)
      card = last!.card
    }
    if (killSwitch.isKilled()) await takeOver(running, thread_id)
    return { isKilled: killSwitch.isKilled(), ...(await readOutcome(thread_id, data.id)) }
  }

  /** Expires the lease once. A renewal in flight at the kill may have extended it. */
  async function takeOver(running: Started, thread_id: string) {
    await sql`
      update ai_engine.threads set lease_until = now() - interval '1 second'
      where thread_id = ${thread_id} and status = 'running'`
    const status = async () => {
      await running.tick()
      const [thread] =
        await sql`select status from ai_engine.threads where thread_id = ${thread_id}`
      return thread?.status
    }
    await expect.poll(status, { timeout: 20_000, interval: 20 }).not.toBe('running')
  }

  const loadRuns = (thread_id: string) => sql`
    select run_id, card, output, status, result, skills from ai_engine.runs
    where thread_id = ${thread_id} order by round desc`

  /** Everything observable of a conversation, without ids and times. */
  async function readOutcome(thread_id: string, matter_id: string) {
    const runs = (await loadRuns(thread_id)).toReversed()
    const events: unknown[] = []
    for (const { run_id } of runs) {
      const rows =
        await sql`select line from ai_engine.events where run_id = ${run_id as string} order by seq`
      events.push(joinTokens(parseNdjson(rows.map(({ line }) => line).join('\n'))))
    }
    const outbox = await sql`
      select status, body from ai_engine.outbox where thread_id = ${thread_id} order by step`
    const { data: matterRecord } = await request(matters, 'GET', `/api/v1/matters/${matter_id}`)
    const { data: timeline } = await request(
      matters,
      'GET',
      `/api/v1/matters/${matter_id}/timeline`,
    )
    const spans = await sql`
      select s.step, s.name, s.kind, s.status from ai_engine.spans s
      join ai_engine.runs r on r.trace_id = s.trace_id
      where r.thread_id = ${thread_id} order by s.step, s.kind, s.name, s.status`
    return {
      spans,
      runs: runs.map(({ status, output, result, skills }) =>
        withoutVolatile({ status, output, result, skills }),
      ),
      events,
      outbox: outbox.map(withoutVolatile),
      matter: withoutVolatile(matterRecord),
      timeline: withoutVolatile(timeline),
    }
  }

  /** Tokens are joined to their text: how a text is split depends on the speed of the database. */
  function joinTokens(events: ReturnType<typeof parseNdjson>) {
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, index) => index + 1))
    const tokens = events.filter(({ event }) => event === 'token')
    return {
      text: tokens.map(({ data }) => data.content).join(''),
      others: events
        .filter(({ event }) => event !== 'token')
        .map(({ event, data: { seq: _, ...data } }) => withoutVolatile({ event, data })),
    }
  }

  const volatileKeys = new Set([
    'card_id',
    'task_id',
    'duration_ms',
    'id',
    'run_id',
    'created_at',
    'updated_at',
    'started_at',
    'completed_at',
    'at',
    'matter_id',
  ])
  function withoutVolatile(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value, (name, member) => (volatileKeys.has(name) ? undefined : member)),
    )
  }

  test('a kill at any point leaves the same events, outputs and matter as an uninterrupted conversation', async () => {
    const { isKilled, ...uninterrupted } = await converse(Number.POSITIVE_INFINITY)
    expect(isKilled).toBe(false)
    expect(uninterrupted.runs).toMatchObject([
      { status: 'interrupted' },
      { status: 'completed' },
      { status: 'completed' },
    ])
    expect(uninterrupted.outbox.length).toBeGreaterThan(1)
    expect((uninterrupted.runs[2] as any).output).toContain(longAnswer.join(''))
    expect((uninterrupted.events[2] as any).text).toBe((uninterrupted.runs[2] as any).output)
    let kills = 0
    // The embedded database is slow, so only every fifth point is tested there.
    for (let point = 1; ; point += on === 'postgres' ? every : 5 * every) {
      const { isKilled, ...outcome } = await converse(point)
      if (!isKilled) break
      kills++
      expect(outcome, `killed at point ${point}`).toEqual(uninterrupted)
    }
    expect(kills).toBeGreaterThan((on === 'postgres' ? 60 : 15) / every)
    console.log(`${on}: killed at ${kills} points`)
  }, 600_000)
})
