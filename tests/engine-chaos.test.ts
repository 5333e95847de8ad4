import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import { makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import { type Listening, listen } from '../services/_run/listen.ts'
import matter from '../services/matter/service.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { ai, answersTo, parseNdjson, story } from './support/engine.ts'
import { freePort } from './support/free-port.ts'
import { type Running, run } from './support/process.ts'
import type { ScriptedModel } from './support/scripted-model.ts'
import { hostileReplies, talkativeModel } from './support/talkative-model.ts'

const key = 'a-key-for-chaos-tests'
const headers = {
  'x-internal-api-key': key,
  'x-organization-id': 'acme',
  'x-user-id': '7',
  'content-type': 'application/json',
}
/** Duration of the fault injection. `npm run chaos` sets 300. */
const seconds = Number(process.env.CHAOS_SECONDS ?? 12)
const clients = 8
const minKills = 3
const question = '什么是诉讼时效？'

let database: Database
let sql: Sql
let model: ScriptedModel
let matters: { listening: Listening; url: string }
const replicas: { port: number; process: Running }[] = []
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
  model = await talkativeModel(hostileReplies)
  const { fetch } = matter.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
    database: database.driver,
    peers: () => () => Promise.reject(new Error('none')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  const port = await freePort()
  matters = { listening: await listen(fetch, port, '127.0.0.1'), url: `http://127.0.0.1:${port}` }
  for (let n = 0; n < 2; n++) {
    const port = await freePort()
    replicas.push({ port, process: startReplica(port) })
  }
})
afterAll(async () => {
  await Promise.all(replicas.map(({ process }) => process.stop()))
  await matters.listening.close(0)
  await model.close()
  await database.drop()
})

const startReplica = (port: number) =>
  run(
    process.execPath,
    [fileURLToPath(new URL('../services/_run/node.ts', import.meta.url)), 'ai-engine'],
    {
      PORT: String(port),
      DATABASE_URL: database.url,
      MIGRATE: 'false',
      INTERNAL_API_KEY: key,
      LOG_LEVEL: 'silent',
      MATTER_SERVICE_URL: matters.url,
      MEMORY_SERVICE_URL: 'http://127.0.0.1:1',
      KNOWLEDGE_SERVICE_URL: 'http://127.0.0.1:1',
      AI_BASE_URL: model.baseUrl,
      AI_MODEL: 'scripted',
      // Ends calls to a model that has fallen silent.
      AI_TIMEOUT_MS: '4000',
    },
  )

/** Sends a request to a random replica and retries until one responds. */
async function request(path: string, body?: unknown): Promise<{ status: number; text: string }> {
  for (;;) {
    const { port } = replicas[Math.random() < 0.5 ? 0 : 1]!
    try {
      const response = await fetch(`http://127.0.0.1:${port}${ai}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const answer = { status: response.status, text: '' }
      const decoder = new TextDecoder()
      try {
        for await (const chunk of response.body!)
          answer.text += decoder.decode(chunk, { stream: true })
      } catch {
        // The process was killed during the response: the text is incomplete.
      }
      return answer
    } catch {
      await wait(50)
    }
  }
}
const parseData = ({ text }: { text: string }) => JSON.parse(text).data

/** Starts a run and reads its events to the end, across kills, without gaps or duplicates. */
async function runTurn(thread_id: string, round: number, path: string, body: unknown) {
  let events: ReturnType<typeof parseNdjson> = []
  const readEvents = (text: string) => {
    events.push(...parseNdjson(text.slice(0, text.lastIndexOf('\n') + 1)))
  }
  for (;;) {
    const { status, text } = await request(path, body)
    if (status === 200) readEvents(text)
    const runs = parseData(await request(`/timeline?thread_id=${thread_id}`)).items
    if (runs.length >= round) {
      const [{ run_id }] = runs
      while (events.at(-1)?.event !== 'end') {
        const more = await request(`/agent/runs/${run_id}/stream?after=${events.length}`)
        if (more.status === 200) readEvents(more.text)
      }
      return { run_id, events: events }
    }
    events = []
  }
}

async function runConversation() {
  const created = await fetch(`${matters.url}/api/v1/matters`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Loan' }),
  })
  const { id: matter_id } = ((await created.json()) as { data: { id: string } }).data
  const thread_id = `chaos:${matter_id}`
  const first = await runTurn(thread_id, 1, '/agent/execute/stream', {
    thread_id,
    matter_id,
    message: story,
  })
  const { card } = parseData(await request(`/agent/pending_card?thread_id=${thread_id}`))
  const answer = { thread_id, card_id: card.card_id, user_response: answersTo(card) }
  const second = await runTurn(thread_id, 2, '/agent/resume/stream', answer)
  const third = await runTurn(thread_id, 3, '/agent/execute/stream', {
    thread_id,
    message: question,
    skill: 'chat',
  })
  return { matter_id, thread_id, runs: [first, second, third] }
}

/** Events that clients received are the stored ones, and their text is the stored output. */
async function checkEvents({ run_id, events }: Awaited<ReturnType<typeof runTurn>>) {
  expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, index) => index + 1))
  const stored = await sql`
    select line from ai_engine.events where run_id = ${run_id} order by seq`
  expect(events).toEqual(parseNdjson(stored.map(({ line }) => line).join('\n')))
  const [ended] = await sql`
    select status, output, error from ai_engine.runs where run_id = ${run_id}`
  expect(ended, run_id).toMatchObject({ error: null })
  if (ended!.status === 'interrupted') return
  const text = events
    .filter(({ event, data }) => event === 'token' && data.node === 'chat_respond')
    .map(({ data }) => data.content)
    .join('')
  expect(text).toBe(ended!.output)
  expect(text).not.toBe('')
}

/** Each step has exactly one successful node span, and each span has its parent. */
async function checkSpans(thread_id: string) {
  const steps = await sql`
    select p.step, p.node, count(s.span_id)::int as spans
    from ai_engine.checkpoints p
    join ai_engine.runs r on r.run_id = p.run_id
    left join ai_engine.spans s on s.trace_id = r.trace_id and s.step = p.step and s.name = p.node
      and s.kind = 'node' and s.status = 'ok'
    where p.thread_id = ${thread_id} and p.node not in ('start', 'resume')
    group by p.step, p.node order by p.step`
  expect(steps.filter(({ spans }) => spans !== 1)).toEqual([])
  const orphans = await sql`
    select s.name from ai_engine.spans s
    join ai_engine.runs r on r.trace_id = s.trace_id
    where r.thread_id = ${thread_id} and s.parent_id is not null and not exists (
      select from ai_engine.spans p where p.trace_id = s.trace_id and p.span_id = s.parent_id)`
  expect(orphans).toEqual([])
}

test(
  'two replicas killed at random, with a hostile model, lose no event, text, span or sync',
  async () => {
    const end = performance.now() + seconds * 1000
    const done: Awaited<ReturnType<typeof runConversation>>[] = []
    let kills = 0
    const isOver = () => performance.now() >= end && kills >= minKills
    const killer = (async () => {
      while (!isOver()) {
        await wait(1_000 + Math.random() * 2_500)
        const replica = replicas[Math.random() < 0.5 ? 0 : 1]!
        replica.process.signal('SIGKILL')
        await replica.process.stop()
        replica.process = startReplica(replica.port)
        kills++
      }
    })()
    const workers = Array.from({ length: clients }, async () => {
      while (!isOver()) done.push(await runConversation())
    })
    await Promise.all([killer, ...workers])
    console.log(`${done.length} conversations, ${kills} kills`)

    const listStuckThreads = () =>
      sql`select thread_id from ai_engine.threads where status = 'running'`
    await expect.poll(listStuckThreads, { timeout: 30_000 }).toEqual([])
    const listUndelivered = () =>
      sql`select sync_key from ai_engine.outbox where status <> 'DELIVERED'`
    await expect.poll(listUndelivered, { timeout: 60_000 }).toEqual([])

    for (const { matter_id, thread_id, runs } of done) {
      for (const run of runs) await checkEvents(run)
      await checkSpans(thread_id)
      const [counts] = await sql`
        select (select count(*) from ai_engine.runs where thread_id = ${thread_id})::int as runs,
          (select count(*) from ai_engine.outbox where thread_id = ${thread_id})::int as made,
          (select count(*) from matter.syncs where matter_id = ${matter_id})::int as taken`
      expect(counts).toEqual({ runs: 3, made: 3, taken: 3 })
    }
  },
  (seconds + 300) * 1_000,
)
