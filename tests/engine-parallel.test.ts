import { afterAll, beforeAll, expect, test } from 'vitest'
import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import type { Peer } from '../services/_kit/peer.ts'
import type { Started } from '../services/_kit/service.ts'
import { type Driver, makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import engine from '../services/ai-engine/service.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { ai, makePeers, parseNdjson } from './support/engine.ts'
import { type KillSwitch, makeKillSwitch } from './support/kill-switch.ts'
import { makePeer } from './support/matter.ts'
import { makeSkillFolder } from './support/skill-folder.ts'

const key = 'a-key-for-parallel-tests'
/** Distance of the kill points. 1 tests every point. */
const every = Number(process.env.CRASH_EVERY ?? 3)
const headers = {
  'x-internal-api-key': key,
  'x-organization-id': 'acme',
  'x-user-id': '7',
  'content-type': 'application/json',
}

const { directory, skill, remove } = makeSkillFolder()
/** Skill that waits or fails on request of the message, emits text and progress, calls a tool and requests a card. */
const working = (
  name: string,
  pauseMs: number,
) => `async run({ inputs, answered, state, emitText, progress, tools }) {
    const pause = () => new Promise((resolve) => setTimeout(resolve, ${pauseMs}))
    if (inputs.message.includes('together')) {
      globalThis.arrivals = (globalThis.arrivals ?? 0) + 1
      while (globalThis.arrivals < 2) await pause()
    }
    if (inputs.message.includes('${name} breaks')) throw { code: 'BROKEN', message: 'broken' }
    progress('${name} reads')
    await tools.recall_memory({ query: '${name}' })
    for (const word of ['${name} one ', '${name} two ', '${name} three ']) {
      emitText(word)
      await pause()
    }
    progress('${name} writes')
    if (!answered) return { output: { note: 'asked' }, products: { data: { ${name}: 'asked' } },
      control: { action: 'ask_user', title: '${name}?', questions: [
        { question: '${name}?', field_key: '${name}.said', input_type: 'text', required: true }] } }
    return { output: { note: '${name} heard ' + state.said }, reply: '${name}: ' + state.said,
      products: { data: { ${name}: state.said } } }
  }`
skill('alpha', working('alpha', 9), 'phase: strategy\ntools: [recall_memory]\n')
skill('beta', working('beta', 2), 'phase: strategy\ntools: [recall_memory]\n')

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
})
afterAll(async () => {
  await database.drop()
  remove()
})

/** A matter whose earlier phases are over, so that alpha and beta alone are due. */
const phases = ['intake', 'analysis'].map((phase_id) => ({ phase_id, status: 'COMPLETED' }))
const matter = makePeer(({ path }) =>
  path.endsWith('/sync/all')
    ? { matter_id: 'm', version: 2, applied: true, changed: {} }
    : { matter_id: 'm', status: 'ACTIVE', profile: {}, phases, todos: [], file_ids: [] },
)

function start(driver: Driver, wrap: (peer: Peer) => Peer) {
  const { memory } = makePeers()
  const peers: Record<string, Peer> = {
    'matter-service': matter.peer,
    'memory-service': memory.peer,
  }
  return engine.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, SKILLS_DIR: directory },
    peers: (name) => wrap(peers[name] ?? (() => Promise.reject(new Error('none')))),
    log: silent,
    metrics: makeMetrics(),
    version: '0',
    database: driver,
    runtime: 'node',
  })
}

async function request(started: Started, path: string, body?: unknown) {
  const response = await started.fetch(
    new Request(`http://x${ai}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    }),
  )
  return { status: response.status, ...((await response.json()) as { code: unknown; data: any }) }
}

const answer = (card: any) => ({
  card_id: card.card_id,
  user_response: {
    answers: card.questions.map(({ field_key }: any) => ({ field_key, value: `for ${field_key}` })),
  },
})

const firstTurn = (thread_id: string, instruction = '') => ({
  thread_id,
  matter_id: 'm',
  message: `我借给张三10万元，他到期不还。${instruction}`,
})

/** Expires the lease once and waits until another process has ended the run. */
async function takeOver(running: Started, thread_id: string) {
  await sql`
    update ai_engine.threads set lease_until = now() - interval '1 second'
    where thread_id = ${thread_id} and status = 'running'`
  const status = async () => {
    await running.tick()
    const [thread] = await sql`select status from ai_engine.threads where thread_id = ${thread_id}`
    return thread?.status
  }
  await expect.poll(status, { timeout: 30_000, interval: 20 }).not.toBe('running')
}

const loadRuns = (thread_id: string) => sql`
  select run_id, status, output, card, skills, result from ai_engine.runs
  where thread_id = ${thread_id} order by round`

/** Answers every card that is shown, until the thread is idle. A run without a response is taken over. */
async function converse(thread_id: string, killSwitch: KillSwitch) {
  let running = start(killSwitch.driver(database.driver), killSwitch.peer)
  const survivor = start(database.driver, (peer) => peer)
  let turn: [string, object] = ['/agent/execute', firstTurn(thread_id)]
  for (let round = 1; ; round++) {
    const response = await request(running, ...turn).catch(() => undefined)
    if (response?.status !== 200) {
      expect(killSwitch.isKilled(), JSON.stringify(response)).toBe(true)
      running = survivor
      await takeOver(running, thread_id)
      if ((await loadRuns(thread_id)).length < round) {
        expect((await request(running, ...turn)).status).toBe(200)
      }
    }
    const last = (await loadRuns(thread_id)).at(-1)!
    if (last.status !== 'interrupted') break
    turn = ['/agent/resume', { thread_id, ...answer(last.card) }]
  }
  return readOutcome(thread_id)
}

const volatileKeys = new Set(['card_id', 'task_id', 'duration_ms', 'seq'])
const withoutVolatile = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (volatileKeys.has(name) ? undefined : member)))

/** Everything observable of a thread, without ids and times. Tokens in a row of one skill are joined. */
async function readOutcome(thread_id: string) {
  const runs = await loadRuns(thread_id)
  const events: any[] = []
  for (const { run_id } of runs) {
    const rows = await sql`
      select line from ai_engine.events where run_id = ${run_id as string} order by seq`
    const list = parseNdjson(rows.map(({ line }) => line).join('\n'))
    expect(list.map(({ data }) => data.seq)).toEqual(list.map((_, index) => index + 1))
    for (const { event, data } of list) {
      const last = events.at(-1)
      if (event === 'token' && last?.event === 'token' && last.data.skill === data.skill)
        last.data.content += data.content
      else events.push({ event, data: { ...data } })
    }
  }
  const [thread] = await sql`
    select status, head, card_id from ai_engine.threads where thread_id = ${thread_id}`
  return withoutVolatile({
    thread,
    runs: runs.map(({ status, output, card, skills, result }) => ({
      status,
      output,
      card,
      skills,
      result,
    })),
    events,
    cards: await sql`
      select skill, status, answers from ai_engine.cards
      where thread_id = ${thread_id} order by created_at, card_id`,
    outbox: await sql`
      select step, status, body from ai_engine.outbox
      where thread_id = ${thread_id} order by step, sync_key`,
    spans: await sql`
      select s.step, s.name, s.kind, s.status from ai_engine.spans s
      join ai_engine.runs r on r.trace_id = s.trace_id
      where r.thread_id = ${thread_id} order by s.step, s.kind, s.name, s.status`,
  }) as any
}

const immortal = () => makeKillSwitch(Number.POSITIVE_INFINITY)

test('due skills without a dependency run in one step and their cards are shown one at a time', async () => {
  const outcome = await converse('parallel:cards', immortal())
  const started = outcome.events.filter(({ event }: any) => event === 'task_start')
  expect(started.map(({ data }: any) => data.skill)).toEqual(['alpha', 'beta', 'alpha', 'beta'])
  expect(outcome.cards).toMatchObject([
    { skill: 'alpha', status: 'answered' },
    { skill: 'beta', status: 'answered' },
  ])
  expect(outcome.runs.map(({ status }: any) => status)).toEqual([
    'interrupted',
    'interrupted',
    'completed',
  ])
  const reader = start(database.driver, (peer) => peer)
  const { data } = await request(reader, '/agent/threads/parallel:cards/state')
  const { alpha, beta } = data.state
  expect(alpha).toMatchObject({ said: 'for alpha.said', note: 'alpha heard for alpha.said' })
  expect(beta).toMatchObject({ said: 'for beta.said', note: 'beta heard for beta.said' })
  expect(outcome.outbox.map(({ body }: any) => body.data)).toEqual([
    { alpha: 'asked' },
    { beta: 'asked' },
    { alpha: 'for alpha.said' },
    { beta: 'for beta.said' },
  ])
})

test('an answer to a queued card is refused until the card is shown, and changes nothing', async () => {
  const thread_id = 'parallel:mix'
  const started = start(database.driver, (peer) => peer)
  const first = await request(started, '/agent/execute', firstTurn(thread_id))
  expect(first.data.card.questions[0].field_key).toBe('alpha.said')
  const mixed = await request(started, '/agent/resume', {
    thread_id,
    user_response: { answers: [{ field_key: 'beta.said', value: 'x' }] },
  })
  expect(mixed.status).toBe(400)
  const body = { thread_id, ...answer(first.data.card) }
  const second = await request(started, '/agent/resume', body)
  expect(second.data.card.questions[0].field_key).toBe('beta.said')
  const repeated = await request(started, '/agent/resume', body)
  expect(repeated.data.run_id).toBe(second.data.run_id)
  const { state } = (await request(started, `/agent/threads/${thread_id}/state`)).data
  expect(state.beta.said).toBeUndefined()
})

test('skills of one step run concurrently', async () => {
  const started = start(database.driver, (peer) => peer)
  const body = firstTurn('parallel:together', 'together')
  // Each skill waits for the other one to start.
  expect((await request(started, '/agent/execute', body)).data.status).toBe('interrupted')
})

test('a skill that fails does not discard the work of the skill beside it', async () => {
  const thread_id = 'parallel:broken'
  const started = start(database.driver, (peer) => peer)
  const { data } = await request(started, '/agent/execute', firstTurn(thread_id, 'alpha breaks'))
  expect(data).toMatchObject({ status: 'failed', card: null })
  const outcome = await readOutcome(thread_id)
  const ended = outcome.events.filter(({ event }: any) => event === 'task_end')
  expect(ended.map(({ data }: any) => [data.skill, data.status])).toEqual([
    ['alpha', 'failed'],
    ['beta', 'completed'],
  ])
  expect(outcome.outbox).toMatchObject([{ status: 'DELIVERED', body: { data: { beta: 'asked' } } }])
  const next = await request(started, '/agent/execute', firstTurn(thread_id))
  expect(next.data.card.questions[0].field_key).toBe('alpha.said')
})

test('a kill at any point leaves the same events, cards and outputs as an uninterrupted conversation', async () => {
  const uninterrupted = await converse('parallel:whole', immortal())
  let kills = 0
  for (let point = 1; ; point += every) {
    const killSwitch = makeKillSwitch(point)
    const outcome = await converse(`parallel:${point}`, killSwitch)
    if (!killSwitch.isKilled()) break
    kills++
    expect(outcome, `killed at point ${point}`).toEqual(uninterrupted)
  }
  expect(kills).toBeGreaterThan(60 / every)
  console.log(`killed at ${kills} points`)
}, 600_000)
