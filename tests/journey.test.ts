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
const ask = (url: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(url, {
    ...init,
    headers: { ...identity, 'content-type': 'application/json', ...headers },
  })
const post = (url: string, body: unknown) =>
  ask(url, { method: 'POST', body: JSON.stringify(body) })
const data = async (response: Promise<Response>) => ((await (await response).json()) as any).data

/** A new session, as each of the replicas knows it. */
async function open() {
  const { id } = await data(post(suite.replicas[0] + sessionsPath, { title: '借款纠纷' }))
  return suite.replicas.map((replica) => `${replica}${sessionsPath}/${id}`) as [string, string]
}
const readOn = (session: string, last: string) =>
  ask(`${session}/stream`, {}, { 'last-event-id': last })
const messagesOf = async (session: string) =>
  (await data(ask(`${session}/messages?size=200`))).items as any[]
const said = (shown: StreamEvent[]) =>
  shown.flatMap(({ event, data }) => (event === 'delta' ? data.content : [])).join('')

/** A question whose answer comes word by word, slowly. */
const words = Array.from({ length: 40 }, (_, n) => `第${n}句。`)
async function talk(url: string, betweenMs = 60): Promise<Response> {
  suite.model.script({ say: words, betweenMs })
  const body = { content: '什么是诉讼时效？', client_message_id: 'c' }
  for (;;) {
    const response = await post(`${url}/chat`, body)
    // Where an engine has just been away, it is asked again the way clients are told to.
    if (response.status !== 503) return response
    await new Promise((go) => setTimeout(go, 200))
  }
}

describe('a consultation', () => {
  test('goes from chat over cards to its end, and can be refreshed at every event', async () => {
    const [one, two] = await open()
    let shown = parseEvents(await (await post(`${one}/chat`, { content: story })).text())
    let cards = 0
    for (; shown.at(-1)!.data.interrupted; cards++) {
      await refreshed([one, two], shown)
      const card = shown.find(({ event }) => event === 'card')!.data
      const pending = { has_pending_card: true, card }
      expect(await data(ask(`${two}/pending_card`))).toEqual(pending)
      expect((await post(`${two}/chat`, { content: '还有' })).status).toBe(409)
      const body = { user_id: 7, user_response: answersTo(card) }
      shown = parseEvents(await (await post(`${cards % 2 ? one : two}/resume`, body)).text())
    }
    expect(cards).toBeGreaterThan(0)
    await refreshed([one, two], shown)
    expect(said(shown)).toBe(shown.at(-1)!.data.output)
    expect(await data(ask(`${one}/pending_card`))).toEqual({ has_pending_card: false, card: null })

    const messages = await messagesOf(one)
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    expect(messages.filter(({ role }) => role === 'ASSISTANT')).toHaveLength(cards + 1)
    const { id, matter_id } = await data(ask(one))
    const matter = await data(ask(`${suite.matter}/api/v1/matters/${matter_id}`))
    expect(matter).toMatchObject({ session_id: id, status: 'ACTIVE' })
    const inside = { 'x-internal-api-key': key }
    const context = `${new URL(one).origin}/api/v1/internal/sessions/${id}/intake-context`
    expect(await data(ask(context, {}, inside))).toMatchObject({
      matter: { id: matter_id },
      missing: ['files'],
    })
  })

  /** Whatever was seen last, either replica gives exactly the rest. */
  async function refreshed(sessions: string[], shown: StreamEvent[]) {
    for (const [index, { id }] of shown.entries()) {
      const response = await readOn(sessions[index % 2]!, id)
      expect(parseEvents(await response.text())).toEqual(shown.slice(index + 1))
    }
  }

  test('is the same in two tabs, also when the one that asked goes away', async () => {
    const [one, two] = await open()
    const asking = await talk(one)
    const tabs = [ask(`${one}/stream`), ask(`${two}/stream`)]
    await readUntil(asking, words[3]!)
    const [left, right] = await Promise.all(tabs.map(async (tab) => (await tab).text()))
    expect(parseEvents(left!)).toEqual(parseEvents(right!))
    expect(said(parseEvents(left!))).toBe(words.join(''))
    expect((await messagesOf(one)).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT'])
  })

  test('loses nothing when its connection moves between replicas at every event', async () => {
    const sessions = await open()
    const first = await talk(sessions[0], 30)
    const shown = parseEvents(await readUntil(first, '\n\n'))
    for (let move = 1; shown.at(-1)!.event !== 'end'; move++) {
      const next = await readOn(sessions[move % 2]!, shown.at(-1)!.id)
      shown.push(...parseEvents(await readUntil(next, '\n\n')))
    }
    const turn = shown[0]!.id.split(':')[0]
    expect(shown.map(({ id }) => id)).toEqual(shown.map((_, index) => `${turn}:${index + 1}`))
    expect(said(shown)).toBe(words.join(''))
  })
})

describe('a process that is killed', () => {
  test('the engine, and started again: the stream goes on to its end', async () => {
    const [one, two] = await open()
    const response = await talk(one)
    const reading = response.text()
    const other = await ask(`${two}/stream`)
    await readUntil(other, words[5]!)
    await suite.kill('engine')
    await suite.restart('engine')
    const shown = parseEvents(await reading)
    expect(shown.filter(({ event }) => event === 'error')).toEqual([])
    expect(said(shown)).toBe(words.join(''))
    expect((await messagesOf(two)).at(-1)).toMatchObject({ content: words.join('') })
  })

  test('the engine, for longer: an error and an end, and the next request picks it up', async () => {
    const [one, two] = await open()
    const response = await talk(one)
    const reading = response.text()
    await readUntil(await ask(`${two}/stream`), words[5]!)
    await suite.kill('engine')
    const shown = parseEvents(await reading)
    expect(shown.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect((await post(`${two}/chat`, { content: '在吗？' })).status).toBe(503)
    await suite.restart('engine')
    const status = async () => (await readOn(two, shown.at(-1)!.id)).status
    await expect.poll(status, { timeout: 20_000 }).toBe(200)
    const rest = parseEvents(await (await readOn(two, shown.at(-1)!.id)).text())
    expect(said([...shown, ...rest])).toBe(words.join(''))
    const { message_id } = shown.at(-1)!.data
    expect((await messagesOf(one)).map(({ id }) => id)).toContain(message_id)
    expect((await messagesOf(one)).filter(({ role }) => role === 'ASSISTANT')).toHaveLength(1)
  })

  test('the replica that relays: the reader goes on at the other', async () => {
    const [one, two] = await open()
    const response = await talk(two)
    const shown = parseEvents(await readUntil(response, words[5]!, false))
    await suite.kill('second')
    const rest = await readOn(one, shown.at(-1)!.id)
    shown.push(...parseEvents(await rest.text()))
    await suite.restart('second')
    const turn = shown[0]!.id.split(':')[0]
    expect(shown.map(({ id }) => id)).toEqual(shown.map((_, index) => `${turn}:${index + 1}`))
    expect(said(shown)).toBe(words.join(''))
    expect((await messagesOf(two)).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT'])
  })
})
