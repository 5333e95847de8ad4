import { afterAll, beforeAll, expect, test } from 'vitest'
import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import type { Peer } from '../services/_kit/peer.ts'
import type { Service, Started } from '../services/_kit/service.ts'
import { makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import engine from '../services/ai-engine/service.ts'
import consultations from '../services/consultations/service.ts'
import { makeMatterPeer, parseEvents, sessionsPath } from './support/consultations.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { makeSkillFolder } from './support/skill-folder.ts'

const key = 'a-key-for-timer-tests'
const { directory, skill, remove } = makeSkillFolder()
skill(
  'waiting',
  `async run({ answered }) {
    if (answered) return { output: { note: 'over' }, reply: 'Continued without an answer.' }
    return { output: { note: 'asked' }, control: { action: 'ask_user', title: 'More?',
      expires_in_seconds: 3600, remind_after_seconds: [1800], questions: [
      { question: 'More?', field_key: 'waiting.more', input_type: 'text', required: true }] } }
  }`,
  'phase: strategy\n',
)

let database: Database
let sql: Sql
let engineService: Started
let chatService: Started
/** While true, requests of consultations-service to the engine fail. */
let engineDown = false
beforeAll(async () => {
  database = await newDatabase('pglite')
  sql = makeSql(database.driver)
  const phases = ['intake', 'analysis'].map((phase_id) => ({ phase_id, status: 'COMPLETED' }))
  const matterStub = makeMatterPeer()
  const matter: Peer = async (request) =>
    request.url.endsWith('/workflow/profile')
      ? Response.json({
          code: 0,
          message: 'ok',
          data: { matter_id: 'm', status: 'ACTIVE', profile: {}, phases, todos: [], file_ids: [] },
        })
      : matterStub.peer(request)
  const start = (service: Service, peers: Record<string, Peer>) =>
    service.start({
      env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, SKILLS_DIR: directory },
      peers: (name) => peers[name] ?? (() => Promise.reject(new Error('none'))),
      log: silent,
      metrics: makeMetrics(),
      version: '0',
      database: database.driver,
      runtime: 'node',
    })
  engineService = start(engine, { 'matter-service': matter })
  chatService = start(consultations, {
    'matter-service': matter,
    'ai-engine': async (request) => {
      if (engineDown) throw new Error('down')
      return engineService.fetch(request)
    },
  })
})
afterAll(async () => {
  await database.drop()
  remove()
})

async function request(method: string, path: string, body?: unknown, headers = {}) {
  const response = await chatService.fetch(
    new Request(`http://x${path}`, {
      method,
      headers: {
        'x-user-id': 'u-1',
        'x-organization-id': 'acme',
        'x-user-type': 'client',
        'content-type': 'application/json',
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  )
  return { status: response.status, text: await response.text() }
}
const readData = async (path: string) => JSON.parse((await request('GET', path)).text).data
const readMessages = async (id: string) =>
  (await readData(`${sessionsPath}/${id}/messages?size=100`)).items

/** Opens a session whose first turn ends with a card. Returns the id of the last event too. */
async function openWithCard(content: string) {
  const { id } = JSON.parse((await request('POST', sessionsPath, {})).text).data
  const { text } = await request('POST', `${sessionsPath}/${id}/chat`, { content })
  const events = parseEvents(text)
  expect(events.map(({ event }) => event)).toContain('card')
  return { id, lastEventId: events.at(-1)!.id }
}
const makeDue = (column: 'expires_at' | 'remind_at', session: string) =>
  column === 'expires_at'
    ? sql`update ai_engine.cards set expires_at = now() - interval '1 second'
        where thread_id = ${`consultation:${session}`}`
    : sql`update ai_engine.cards set remind_at = now() - interval '1 second'
        where thread_id = ${`consultation:${session}`}`

test('the run of an expired card becomes a turn whose reply is stored and streamed', async () => {
  const { id, lastEventId } = await openWithCard('我借给张三10万元，他到期不还。')
  await makeDue('expires_at', id)
  await engineService.tick()
  engineDown = true
  await chatService.tick()
  engineDown = false
  const reply = async () => {
    await Promise.all([chatService.tick(), chatService.tick()])
    return (await readMessages(id)).at(-1).content
  }
  await expect.poll(reply, { timeout: 30_000 }).toBe('Continued without an answer.')
  await chatService.tick()
  expect(
    (await readMessages(id)).map(({ role, content }: any) => [role, content]).slice(2),
  ).toEqual([
    ['SYSTEM', '问题卡已过期。'],
    ['ASSISTANT', 'Continued without an answer.'],
  ])
  const missed = await request('GET', `${sessionsPath}/${id}/stream`, undefined, {
    'last-event-id': lastEventId,
  })
  const events = parseEvents(missed.text)
  expect(events.at(-1)).toMatchObject({ event: 'end', data: { interrupted: false } })
  const text = events.flatMap(({ event, data }) => (event === 'delta' ? data.content : []))
  expect(text.join('')).toBe('Continued without an answer.')
  const next = await request('POST', `${sessionsPath}/${id}/chat`, { content: '谢谢' })
  expect(next.status).toBe(200)
})

test('a reminder is stored once as a message in the language of the person', async () => {
  const { id } = await openWithCard('I lent Zhang San 100,000 yuan and he does not repay me.')
  await makeDue('remind_at', id)
  await engineService.tick()
  await Promise.all([chatService.tick(), chatService.tick()])
  await chatService.tick()
  const reminders = (await readMessages(id)).filter(({ metadata }: any) => metadata.reminder)
  expect(reminders).toMatchObject([
    { role: 'ASSISTANT', content: 'A card is still waiting for your answer.' },
  ])
  const pending = await readData(`${sessionsPath}/${id}/pending_card`)
  expect(pending.has_pending_card).toBe(true)
})
