import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  parseEvents,
  readUntil,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { askCardFirst, echo, end, gate, token } from '../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())
beforeEach(() => {
  Object.assign(at.engine.state, { plan: echo, down: false, cardRequired: false })
  at.engine.requests.length = 0
})

const stop = (id: string, headers = {}) => at.post(`${sessionsPath}/${id}/stop`, {}, headers)
const skip = (id: string, body: object = {}, headers = {}) =>
  at.post(`${sessionsPath}/${id}/pending_card/skip`, body, headers)
const names = (text: string) => parseEvents(text).map(({ event }) => event)

/** A chat whose reply pauses after one event. */
async function pausedChat() {
  const { id } = await at.open()
  const paused = gate()
  at.engine.state.plan = async function* () {
    yield token('half of it')
    await paused.opened
    yield token(' and the rest')
    yield end('half of it and the rest')
  }
  const response = await at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'hello' })
  return { id, response, proceed: paused.open }
}

describe('stop', () => {
  test('ends the running turn with STOPPED and end, and keeps the text so far', async () => {
    const { id, response } = await pausedChat()
    const reading = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(1)
    expect(await stop(id)).toMatchObject({ status: 200, data: { stopped: true } })
    const { run_id } = at.engine.runs[0]!
    const cancel = at.engine.requests.find(({ path }) => path === '/agent/cancel')
    expect(cancel!.body).toMatchObject({ run_id, reason: 'stopped' })
    const events = parseEvents(await reading)
    expect(events.map(({ event }) => event)).toEqual(['delta', 'error', 'end'])
    expect(events[1]!.data.code).toBe('STOPPED')
    const [, message] = await at.messages(id)
    expect(message).toMatchObject({ id: events[2]!.data.message_id, content: 'half of it' })
    at.engine.state.plan = echo
    expect((await at.chat(id, 'next')).status).toBe(200)
  })

  test('without a running turn is false and calls nothing', async () => {
    const { id } = await at.open()
    expect((await stop(id)).data).toEqual({ stopped: false })
    await at.chat(id, 'hello')
    at.engine.requests.length = 0
    expect((await stop(id)).data).toEqual({ stopped: false })
    expect(at.engine.requests).toEqual([])
  })

  test('with a pending card is false and the card stays', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    await at.chat(id, 'hello')
    expect((await stop(id)).data).toEqual({ stopped: false })
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).has_pending_card).toBe(true)
  })

  test('racing with the end leaves one message and a free session', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, response, proceed } = await pausedChat()
      const reading = response.text()
      await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(1)
      const [stopped] = await Promise.all([stop(id), stop(id), proceed()])
      expect(stopped.status).toBe(200)
      const text = await reading
      expect(names(text).at(-1)).toBe('end')
      expect(names(text).includes('error')).toBe(stopped.data.stopped)
      expect(await at.messages(id)).toHaveLength(2)
      expect((await stop(id)).data).toEqual({ stopped: false })
    }
  })

  test('before the run has started cancels it as soon as it is known', async () => {
    const { id } = await at.open()
    const paused = gate()
    at.engine.state.plan = async function* () {
      yield token('half')
      await paused.opened
      yield end('half')
    }
    const matter = at.matter.requests.length
    const chat = at.post(`${sessionsPath}/${id}/chat`, { content: 'hello' })
    await expect.poll(() => at.matter.requests.length).toBeGreaterThan(matter)
    const { data } = await stop(id)
    const events = parseEvents((await chat).text)
    expect(data.stopped).toBe(true)
    expect(events.map(({ event }) => event).slice(-2)).toEqual(['error', 'end'])
    paused.open()
  })

  test('of another client or organization is 404 and the turn goes on', async () => {
    const { id, response, proceed } = await pausedChat()
    expect((await stop(id, { 'x-user-id': 'u-2' })).status).toBe(404)
    const other = { 'x-user-type': 'lawyer', 'x-organization-id': 'other' }
    expect((await stop(id, other)).status).toBe(404)
    proceed()
    expect(names(await response.text())).toEqual(['delta', 'delta', 'end'])
  })

  test('in an archived session stops a turn that still runs', async () => {
    const { id, response } = await pausedChat()
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(1)
    await at.call('DELETE', `${sessionsPath}/${id}`)
    expect((await stop(id)).data).toEqual({ stopped: true })
    expect(names(await response.text()).at(-1)).toBe('end')
  })

  test('while the engine is down is 503; it works when the engine is back', async () => {
    const { id, response } = await pausedChat()
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(1)
    at.engine.state.down = true
    expect((await stop(id)).status).toBe(503)
    at.engine.state.down = false
    await expect.poll(async () => (await stop(id)).status, { timeout: 10_000 }).toBe(200)
    expect(names(await response.text())).toEqual(['delta', 'error', 'end'])
  })
})

describe('skipping the pending card', () => {
  /** A session with a pending card. */
  async function openWithCard() {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    const events = parseEvents((await at.chat(id, 'hello')).text)
    return { id, last: events.at(-1)!.id, card: events.find(({ event }) => event === 'card')!.data }
  }

  test('continues the run without answers; its events are in the stream', async () => {
    const { id, last, card } = await openWithCard()
    expect(await skip(id)).toMatchObject({ status: 200, data: { skipped: true } })
    const stream = await at.call('GET', `${sessionsPath}/${id}/stream`, {
      headers: { 'last-event-id': last },
    })
    expect(names(stream.text).at(-1)).toBe('end')
    expect(at.engine.runRequests().at(-1)).toMatchObject({
      path: '/agent/pending_card/skip',
      body: { thread_id: `consultation:${id}`, card_id: card.card_id, user_id: 'u-1' },
    })
    const messages = await at.messages(id)
    expect(messages[2]).toMatchObject({
      role: 'USER',
      content: 'Skipped',
      metadata: { card_id: card.card_id, skipped: true },
    })
    expect(messages[3].role).toBe('ASSISTANT')
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).has_pending_card).toBe(false)
  })

  test('that must be answered is 409 CARD_REQUIRED and stores nothing', async () => {
    const { id, card } = await openWithCard()
    at.engine.state.cardRequired = true
    expect(await skip(id)).toMatchObject({ status: 409, code: 'CARD_REQUIRED' })
    expect(await at.messages(id)).toHaveLength(2)
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).card).toEqual(card)
  })

  test('without a card is 409 NO_PENDING_CARD, with another card 409 CONFLICT', async () => {
    const { id } = await at.open()
    expect(await skip(id)).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    const { id: waitingId, card } = await openWithCard()
    expect(await skip(waitingId, { card_id: 'another' })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    expect((await skip(waitingId, { card_id: card.card_id })).status).toBe(200)
  })

  test('racing with an answer: one of them continues the run', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await openWithCard()
      at.engine.requests.length = 0
      const answers = [{ field_key: 'intake.amount', value: 5 }]
      const both = await Promise.all([skip(id), at.resume(id, answers)])
      const statuses = both.map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 409])
      const readRoles = async () => {
        // On the edge a turn without a reader continues with a tick.
        await at.tick()
        return (await at.messages(id)).map(({ role }: any) => role)
      }
      await expect
        .poll(readRoles, { timeout: 45_000 })
        .toEqual(['USER', 'ASSISTANT', 'USER', 'ASSISTANT'])
      const threads = at.engine.runs.filter(({ thread_id }) => thread_id.endsWith(id))
      expect(threads).toHaveLength(2)
    }
  }, 150_000)

  test('of another client or organization is 404, in an archived session 409', async () => {
    const { id } = await openWithCard()
    expect((await skip(id, {}, { 'x-user-id': 'u-2' })).status).toBe(404)
    const other = { 'x-user-type': 'lawyer', 'x-organization-id': 'other' }
    expect((await skip(id, {}, other)).status).toBe(404)
    await at.call('DELETE', `${sessionsPath}/${id}`)
    expect(await skip(id)).toMatchObject({ status: 409, code: 'SESSION_ARCHIVED' })
  })

  test('the card carries expires_at, on_expiry and assignee unchanged', async () => {
    const { id } = await at.open()
    const more = { expires_at: '2026-12-01T00:00:00.000Z', on_expiry: 'skip', assignee: 'u-1' }
    const card = { card_id: 'c', review_type: 'clarify', questions: [], ...more }
    at.engine.state.plan = () => [{ event: 'card', data: card }, end('', 'interrupted')]
    const [event] = parseEvents((await at.chat(id, 'hello')).text)
    expect(event!.data).toEqual(card)
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).card).toEqual(card)
  })
})
