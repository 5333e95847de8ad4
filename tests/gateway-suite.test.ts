import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { order } from '../services/_run/services.ts'
import { parseEvents, type StreamEvent } from './support/consultations.ts'
import { story } from './support/engine.ts'
import { type Running, run } from './support/process.ts'
import { type ScriptedModel, scriptedModel } from './support/scripted-model.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-mcp-'))
const port = 14_000 + (process.pid % 800) * 10
const origin = `http://127.0.0.1:${port}`
const json = { 'content-type': 'application/json' }

let model: ScriptedModel
let suite: Running
let token: string
let administrator: Record<string, string>
beforeAll(async () => {
  // A model that always fails makes the skills use their rules.
  model = await scriptedModel({ status: 400 })
  const only = 'memory,ai-engine,consultations,matter,platform'
  suite = run(process.execPath, ['services/_run/start.js', '--only', only], {
    PORT: String(port),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
    AI_BASE_URL: model.baseUrl,
    AI_MODEL: 'scripted',
  })
  await suite.waitForOutput('internal key:')
  token = await createToken()
  administrator = await signIn('sample-administrator')
})
afterAll(async () => {
  await suite?.stop()
  await model?.close()
  rmSync(directory, { recursive: true, force: true })
})

const post = (path: string, body: unknown, headers = {}) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })

/** Returns the headers of a session, CSRF token included. */
async function signIn(person: string): Promise<Record<string, string>> {
  const response = await post('/auth/local', { person })
  const { data } = (await response.json()) as any
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': data.csrf }
}

async function createToken(): Promise<string> {
  const headers = await signIn('sample-client')
  const created = await post('/auth/tokens', { name: 'mcp', scopes: ['*'] }, headers)
  return ((await created.json()) as any).data.token
}

interface Form {
  message: string
  requestedSchema: { properties: Record<string, any>; required: string[] }
}

/** Connects a client that answers forms with `fill` and records the bodies that it sends. */
async function connect(fill: (form: Form) => Promise<object>) {
  const sent: RequestInit[] = []
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  )
  client.setRequestHandler('elicitation/create', async ({ params }: any) => ({
    action: 'accept' as const,
    content: (await fill(params)) as Record<string, string>,
  }))
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    fetch: (url: string | URL, init?: RequestInit) => {
      if (init) sent.push(init)
      return fetch(url, init)
    },
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return { client, sent }
}

/** Fills in the required fields of a form by their kinds. */
const answersTo = ({ requestedSchema: { properties, required } }: Form) =>
  Object.fromEntries(required.map((key) => [key, answerTo(properties[key])]))
function answerTo({ type, format, oneOf, items, title }: any): unknown {
  if (type === 'number') return 100_000
  if (type === 'boolean') return true
  if (type === 'array') return [items.anyOf[0].const]
  if (oneOf) return oneOf[0].const
  if (format === 'date') return '2023-05-01'
  return `张三借款十万元，到期不还。${title}`
}

/** Returns a function that resolves when it has been called `count` times. */
function makeBarrier(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    if (++arrived === count) resolve()
    return promise
  }
}

const dataOf = (result: any) => JSON.parse(result.content[0].text)
async function read(path: string): Promise<any> {
  const response = await fetch(`${origin}/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as any).data
}

/** Follows the events of a person. `waitFor` resolves with the first event of a type. */
async function followEvents(headers: Record<string, string>) {
  const stop = new AbortController()
  const response = await fetch(`${origin}/api/v1/events`, { headers, signal: stop.signal })
  expect(response.status).toBe(200)
  const received: StreamEvent[] = []
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop()!
      received.push(...parseEvents(frames.join('\n\n')))
    }
  })().catch(() => {})
  return {
    received,
    waitFor: (type: string) =>
      expect.poll(() => received.find(({ event }) => event === type)?.data, { timeout: 60_000 }),
    async close() {
      stop.abort()
      await reading
    },
  }
}

test('an MCP client completes a consultation with each card answered once, and all events arrive', async () => {
  const events = await followEvents(administrator)
  const bothShown = makeBarrier(2)
  const forms: Form[] = []
  const fill = async (form: Form) => {
    forms.push(form)
    if (forms.length <= 2) await bothShown()
    return answersTo(form)
  }
  const [first, second] = [await connect(fill), await connect(fill)]
  const started = dataOf(
    await first.client.callTool({ name: 'start_consultation', arguments: { message: story } }),
  )
  const { session_id } = started
  expect(started.pending_card.questions.length).toBeGreaterThan(0)

  // Both clients show the first card before either answers it.
  const call = { name: 'answer_card', arguments: { session_id } }
  const results = await Promise.all([first, second].map(({ client }) => client.callTool(call)))
  expect(forms[0]).toEqual(forms[1])
  expect(results.filter(({ isError }) => isError).map(dataOf)).toHaveLength(1)
  const winner = results[0]!.isError ? second : first
  let answered = dataOf(results.find(({ isError }) => !isError))

  const cardIds = [started.pending_card.card_id]
  while (answered.pending_card) {
    cardIds.push(answered.pending_card.card_id)
    await resendLast(winner.sent)
    answered = dataOf(await winner.client.callTool(call))
  }
  await resendLast(winner.sent)
  expect(answered.output).not.toBe('')

  const session = `consultations-service/api/v1/consultations/sessions/${session_id}`
  const { items } = await read(`${session}/messages?size=200`)
  const answers = (items as any[]).filter(({ role }) => role === 'USER').slice(1)
  expect(answers.map(({ metadata }) => metadata.card_id)).toEqual(cardIds)
  await Promise.all([first, second].map(({ client }) => client.close()))

  const { matter_id } = await read(session)
  const subject = { organization_id: 'sample-firm', matter_id }
  for (const type of ['matter.updated', 'todo.updated']) {
    await events.waitFor(type).toMatchObject(subject)
  }
  for (const type of ['card.created', 'card.answered']) {
    await events.waitFor(type).toMatchObject({ ...subject, session_id, card_id: cardIds[0] })
  }
  await syncDeliverable(matter_id)
  await events.waitFor('deliverable.released').toMatchObject({
    ...subject,
    deliverable_keys: ['opinion'],
  })
  const erasure = await post(
    '/api/v1/erasures',
    { user_id: 'nobody', dry_run: true },
    administrator,
  )
  const { job_id } = ((await erasure.json()) as any).data
  await events.waitFor('job.updated').toMatchObject({ job_id, kind: 'erase', status: 'PENDING' })
  const ids = events.received.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const answeredCards = events.received.filter(({ event }) => event === 'card.answered')
  expect(answeredCards.map(({ data }) => data.card_id)).toEqual(cardIds)
  await events.close()
})

/** Adds a deliverable as ai-engine does, on the internal path of matter-service. */
async function syncDeliverable(matterId: string) {
  const matter = `http://127.0.0.1:${port + 1 + order.indexOf('matter')}`
  const key = readFileSync(join(directory, 'internal-api-key'), 'utf8').trim()
  const deliverables = [{ deliverable_key: 'opinion', title: 'Opinion', kind: 'document' }]
  const response = await fetch(`${matter}/api/v1/internal/matters/${matterId}/sync/all`, {
    method: 'POST',
    headers: { ...json, 'x-internal-api-key': key },
    body: JSON.stringify({ deliverables }),
  })
  expect(response.status).toBe(200)
}

/** Sends the last answer again, byte for byte: it belongs to a card that is no longer pending. */
async function resendLast(sent: RequestInit[]) {
  const last = sent.findLast(({ body }) => String(body).includes('inputResponses'))!
  const response = await fetch(`${origin}/mcp`, { ...last, signal: null })
  const text = await response.text()
  expect(text).toMatch(/NO_PENDING_CARD|input_required/)
}
