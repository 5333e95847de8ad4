import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import type { Peer } from '../services/_kit/peer.ts'
import type { Service, Started } from '../services/_kit/service.ts'
import { type Driver, makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import engine from '../services/ai-engine/service.ts'
import matter from '../services/matter/service.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { ai, story } from './support/engine.ts'
import { type KillSwitch, makeKillSwitch } from './support/kill-switch.ts'
import { makePeer } from './support/matter.ts'
import { respondWithFile, seedResponses, type TestFiles } from './support/seed-causes.ts'

const key = 'a-key-for-crash-tests'
const headers = { 'x-internal-api-key': key, 'x-organization-id': 'acme', 'x-user-id': '7' }
/** Distance of the kill points. */
const every = Number(process.env.CRASH_EVERY ?? 3)
const files: TestFiles = {
  'f-1': {
    filename: '借条.txt',
    text: '借条\n今借到李四人民币100000元，于2024年5月1日前归还。\n借款人：张三\n2023年5月1日',
  },
}
const knowledge = makePeer(({ path, body }) => seedCauses(path, body)).peer
const seedCauses = seedResponses()
const unavailable: Peer = () => Promise.reject(new Error('none'))

describe.each(['postgres', 'pglite'] as const)('an analysis on %s', (on) => {
  let database: Database
  let sql: Sql
  let matters: Started
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
    matters = start(matter, database.driver, () => unavailable)
  })
  afterAll(() => database.drop())

  function start(service: Service, driver: Driver, peers: (name: string) => Peer): Started {
    const env = { ENVIRONMENT: 'test', INTERNAL_API_KEY: key }
    const host = { env, peers, log: silent, metrics: makeMetrics(), version: '0' }
    return service.start({ ...host, database: driver, runtime: 'node' })
  }
  const peers: Record<string, Peer> = {
    'matter-service': (request) => matters.fetch(request),
    'knowledge-service': knowledge,
    'files-service': makePeer(({ path }) => respondWithFile(files, path)).peer,
  }
  const startEngine = (killSwitch: KillSwitch) =>
    start(engine, killSwitch.driver(database.driver), (name) =>
      killSwitch.peer(peers[name] ?? unavailable),
    )

  async function request(started: Started, method: string, path: string, body?: unknown) {
    const response = await started.fetch(
      new Request(`http://x${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
    return { status: response.status, ...((await response.json()) as { data: any }) }
  }

  /** Analyzes a case twice, with a kill at a point, and returns all versions of its analysis. */
  async function analyze(killAt: number) {
    const { data } = await request(matters, 'POST', '/api/v1/matters', { title: 'Loan' })
    const thread_id = `analysis:${data.id}`
    const killSwitch = makeKillSwitch(killAt)
    let running = startEngine(killSwitch)
    const turns = [
      { skill: 'evidence_analysis', message: story },
      { skill: 'sufficiency', message: '' },
      { skill: 'evidence_analysis', message: '这是借条', file_ids: ['f-1'] },
      { skill: 'sufficiency', message: '' },
    ]
    for (const [index, turn] of turns.entries()) {
      const body = { thread_id, matter_id: data.id, skill_only: true, ...turn }
      const answer = await request(running, 'POST', `${ai}/agent/execute`, body).catch(() => null)
      if (answer?.status === 200) continue
      expect(killSwitch.isKilled()).toBe(true)
      running = startEngine(makeKillSwitch(Number.POSITIVE_INFINITY))
      await takeOver(running, thread_id)
      const [runs] =
        await sql`select count(*)::int as count from ai_engine.runs where thread_id = ${thread_id}`
      if (runs!.count === index) await request(running, 'POST', `${ai}/agent/execute`, body)
    }
    if (killSwitch.isKilled()) await takeOver(running, thread_id)
    return { isKilled: killSwitch.isKilled(), versions: await loadVersions(data.id) }
  }

  /** Expires the lease and runs ticks until the thread is idle and its outbox empty. */
  async function takeOver(running: Started, thread_id: string) {
    await sql`
      update ai_engine.threads set lease_until = now() - interval '1 second'
      where thread_id = ${thread_id} and status = 'running'`
    const isOpen = async () => {
      await sql`update ai_engine.jobs set run_at = now() where status = 'PENDING'`
      await running.tick()
      const [open] = await sql`
        select (select count(*) from ai_engine.threads where thread_id = ${thread_id}
            and status = 'running') + (select count(*) from ai_engine.outbox
            where thread_id = ${thread_id} and status = 'PENDING') as count`
      return open!.count
    }
    await expect.poll(isOpen, { timeout: 20_000, interval: 20 }).toBe(0)
  }

  async function loadVersions(matter_id: string) {
    const path = `/api/v1/matters/${matter_id}/analysis`
    const { data } = await request(matters, 'GET', path)
    return Promise.all(
      data.items.map(async ({ version }: { version: number }) => {
        const { data: analysis } = await request(matters, 'GET', `${path}/${version}`)
        const { evidences, sufficiency, issues } = analysis
        return { version, evidences: evidences?.items, sufficiency: sufficiency?.items, issues }
      }),
    )
  }

  test('a kill at any point leaves each part of each version submitted once', async () => {
    const { isKilled, versions } = await analyze(Number.POSITIVE_INFINITY)
    expect(isKilled).toBe(false)
    expect(versions).toMatchObject([
      { version: 2, evidences: [{ file_id: 'f-1', kind: 'iou' }], issues: null },
      { version: 1, evidences: [], issues: null },
    ])
    const [agreement] = (versions[0] as any).sufficiency
    expect(agreement).toMatchObject({ status: 'proven', evidence: expect.arrayContaining(['f-1']) })
    let kills = 0
    for (let point = 1; ; point += on === 'postgres' ? every : 4 * every) {
      const outcome = await analyze(point)
      if (!outcome.isKilled) break
      kills++
      expect(outcome.versions, `killed at point ${point}`).toEqual(versions)
    }
    expect(kills).toBeGreaterThan(5)
    console.log(`${on}: killed at ${kills} points`)
  }, 600_000)
})
