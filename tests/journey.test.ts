import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseEvents, readUntil, type StreamEvent, sessionsPath } from './support/consultations.ts'
import { answersTo, story } from './support/engine.ts'
import { key } from './support/stage.ts'
import { type Suite, startSuite } from './support/suite.ts'

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
})
afterAll(() => suite.close())
beforeEach(() => suite.model.script({ status: 400 }))

const identity = { 'x-user-id': '7', 'x-organization-id': 'acme', 'x-user-type': 'client' }
const request = (url: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(url, {
    ...init,
    headers: { ...identity, 'content-type': 'application/json', ...headers },
  })
const post = (url: string, body: unknown) =>
  request(url, { method: 'POST', body: JSON.stringify(body) })
const data = async (response: Promise<Response>) => ((await (await response).json()) as any).data

/** Creates a session. Returns its URL at each replica. */
async function openSession() {
  const { id } = await data(post(suite.replicas[0] + sessionsPath, { title: '借款纠纷' }))
  return suite.replicas.map((replica) => `${replica}${sessionsPath}/${id}`) as [string, string]
}
const resumeStream = (session: string, last: string) =>
  request(`${session}/stream`, {}, { 'last-event-id': last })
const loadMessages = async (session: string) =>
  (await data(request(`${session}/messages?size=200`))).items as any[]
const deltaText = (events: StreamEvent[]) =>
  events.flatMap(({ event, data }) => (event === 'delta' ? data.content : [])).join('')

/** Sentences of a slow model reply. */
const sentences = Array.from({ length: 40 }, (_, n) => `第${n}句。`)
async function chatSlowly(url: string, betweenMs = 60): Promise<Response> {
  suite.model.script({ say: sentences, betweenMs })
  const body = { content: '什么是诉讼时效？', client_message_id: 'c' }
  for (;;) {
    const response = await post(`${url}/chat`, body)
    // After an engine outage the service responds 503; clients retry.
    if (response.status !== 503) return response
    await new Promise((go) => setTimeout(go, 200))
  }
}

describe('a consultation', () => {
  test('runs from chat through cards to its end, and resumes after every event', async () => {
    const [one, two] = await openSession()
    let events = parseEvents(await (await post(`${one}/chat`, { content: story })).text())
    let cards = 0
    for (; events.at(-1)!.data.interrupted; cards++) {
      await expectResumable([one, two], events)
      const card = events.find(({ event }) => event === 'card')!.data
      const pending = { has_pending_card: true, card }
      expect(await data(request(`${two}/pending_card`))).toEqual(pending)
      expect((await post(`${two}/chat`, { content: '还有' })).status).toBe(409)
      // files-service does not run here, so no file can be named.
      const answers = answersTo(card).answers.map((answer, index) =>
        card.questions[index].input_type === 'file'
          ? { field_key: answer.field_key, value: null, unknown: true }
          : answer,
      )
      const body = { user_id: 7, user_response: { answers } }
      events = parseEvents(await (await post(`${cards % 2 ? one : two}/resume`, body)).text())
    }
    expect(cards).toBeGreaterThan(0)
    await expectResumable([one, two], events)
    expect(deltaText(events)).toBe(events.at(-1)!.data.output)
    expect(await data(request(`${one}/pending_card`))).toEqual({
      has_pending_card: false,
      card: null,
    })

    const messages = await loadMessages(one)
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    expect(messages.filter(({ role }) => role === 'ASSISTANT')).toHaveLength(cards + 1)
    const { id, matter_id } = await data(request(one))
    const matter = await data(request(`${suite.matter}/api/v1/matters/${matter_id}`))
    expect(matter).toMatchObject({ session_id: id, status: 'ACTIVE' })
    const inside = { 'x-internal-api-key': key }
    const context = `${new URL(one).origin}/api/v1/internal/sessions/${id}/intake-context`
    expect(await data(request(context, {}, inside))).toMatchObject({
      matter: { id: matter_id },
      missing: [],
    })
  })

  test('takes what is said after the intake into the matter, and a contradiction once confirmed', async () => {
    const [one] = await openSession()
    await finishIntake(one)
    const { matter_id } = await data(request(one))
    const loadMatter = () => data(request(`${suite.matter}/api/v1/matters/${matter_id}`))
    const hasEvidence = (kind: string) => async () =>
      (await loadMatter()).profile.evidence.includes(kind)
    expect((await loadMatter()).profile.amount).toBe(100_000)

    await (await post(`${one}/chat`, { content: '我还有一个证人可以作证' })).text()
    await expect.poll(hasEvidence('witness'), { timeout: 15_000 }).toBe(true)

    const content = '我记错了，其实借给他的是12万元'
    const asked = parseEvents(await (await post(`${one}/chat`, { content })).text())
    const card = asked.find(({ event }) => event === 'card')!.data
    expect(card).toMatchObject({ review_type: 'confirm' })
    expect(card.questions[0].question).toContain('120,000')
    expect((await loadMatter()).profile.amount).toBe(100_000)

    const answers = [{ field_key: card.questions[0].field_key, value: true }]
    await (await post(`${one}/resume`, { user_id: 7, user_response: { answers } })).text()
    await expect
      .poll(async () => (await loadMatter()).profile.amount, { timeout: 15_000 })
      .toBe(120_000)
    const { amounts } = (await loadMatter()).data.work_product.case_summary
    expect(amounts[0]).toMatchObject({ amount: 120_000, confirmed: true })
  })

  /** Sends the story and answers cards until none is pending. */
  async function finishIntake(session: string) {
    let events = parseEvents(await (await post(`${session}/chat`, { content: story })).text())
    while (events.at(-1)!.data.interrupted) {
      const { questions } = events.find(({ event }) => event === 'card')!.data
      const answers = questions.map(({ field_key, input_type }: any) =>
        input_type === 'textarea'
          ? { field_key, value: '要回借款' }
          : { field_key, value: null, unknown: true },
      )
      const body = { user_id: 7, user_response: { answers } }
      events = parseEvents(await (await post(`${session}/resume`, body)).text())
    }
  }

  /** After any event, either replica returns exactly the remaining events. */
  async function expectResumable(sessions: string[], events: StreamEvent[]) {
    for (const [index, { id }] of events.entries()) {
      const response = await resumeStream(sessions[index % 2]!, id)
      expect(parseEvents(await response.text())).toEqual(events.slice(index + 1))
    }
  }

  test('streams the same events to two tabs after the requesting tab disconnects', async () => {
    const [one, two] = await openSession()
    const asking = await chatSlowly(one)
    const tabs = [request(`${one}/stream`), request(`${two}/stream`)]
    await readUntil(asking, sentences[3]!)
    const [left, right] = await Promise.all(tabs.map(async (tab) => (await tab).text()))
    expect(parseEvents(left!)).toEqual(parseEvents(right!))
    expect(deltaText(parseEvents(left!))).toBe(sentences.join(''))
    expect((await loadMessages(one)).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT'])
  })

  test('loses no event when the connection moves between replicas after every event', async () => {
    const sessions = await openSession()
    const first = await chatSlowly(sessions[0], 30)
    const events = parseEvents(await readUntil(first, '\n\n'))
    for (let move = 1; events.at(-1)!.event !== 'end'; move++) {
      const next = await resumeStream(sessions[move % 2]!, events.at(-1)!.id)
      events.push(...parseEvents(await readUntil(next, '\n\n')))
    }
    const turn = events[0]!.id.split(':')[0]
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${turn}:${index + 1}`))
    expect(deltaText(events)).toBe(sentences.join(''))
  })
})

describe('killing a process', () => {
  test('the engine killed and restarted: the stream continues to its end', async () => {
    const [one, two] = await openSession()
    const response = await chatSlowly(one)
    const reading = response.text()
    const other = await request(`${two}/stream`)
    await readUntil(other, sentences[5]!)
    await suite.kill('engine')
    await suite.restart('engine')
    const events = parseEvents(await reading)
    expect(events.filter(({ event }) => event === 'error')).toEqual([])
    expect(deltaText(events)).toBe(sentences.join(''))
    expect((await loadMessages(two)).at(-1)).toMatchObject({ content: sentences.join('') })
  })

  test('the engine down for longer: the stream ends with an error, and the next request resumes the turn', async () => {
    const [one, two] = await openSession()
    const response = await chatSlowly(one)
    const reading = response.text()
    await readUntil(await request(`${two}/stream`), sentences[5]!)
    await suite.kill('engine')
    const events = parseEvents(await reading)
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect((await post(`${two}/chat`, { content: '在吗？' })).status).toBe(503)
    await suite.restart('engine')
    const status = async () => (await resumeStream(two, events.at(-1)!.id)).status
    await expect.poll(status, { timeout: 20_000 }).toBe(200)
    const rest = parseEvents(await (await resumeStream(two, events.at(-1)!.id)).text())
    expect(deltaText([...events, ...rest])).toBe(sentences.join(''))
    const { message_id } = events.at(-1)!.data
    expect((await loadMessages(one)).map(({ id }) => id)).toContain(message_id)
    expect((await loadMessages(one)).filter(({ role }) => role === 'ASSISTANT')).toHaveLength(1)
  })

  test('the relaying replica killed: the reader continues at the other replica', async () => {
    const [one, two] = await openSession()
    const response = await chatSlowly(two)
    const events = parseEvents(await readUntil(response, sentences[5]!, false))
    await suite.kill('second')
    const rest = await resumeStream(one, events.at(-1)!.id)
    events.push(...parseEvents(await rest.text()))
    await suite.restart('second')
    const turn = events[0]!.id.split(':')[0]
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${turn}:${index + 1}`))
    expect(deltaText(events)).toBe(sentences.join(''))
    expect((await loadMessages(two)).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT'])
  })
})
