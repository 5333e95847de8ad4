import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  internalPath,
  parseEvents,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { askCardFirst, gate } from '../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())
beforeEach(() => {
  const state = { plan: askCardFirst, down: false, lostResponses: 0, staleCard: undefined }
  Object.assign(at.engine.state, state)
  at.engine.requests.length = 0
})

/** A session with a pending card. */
async function openWithCard() {
  const { id } = await at.open()
  const events = parseEvents((await at.chat(id, 'hello')).text)
  return { id, card: events.find(({ event }) => event === 'card')!.data }
}
const amount = { field_key: 'intake.amount', value: 100_000 }

describe('resume', () => {
  test('sends the answers to the engine and streams the reply', async () => {
    const { id, card } = await openWithCard()
    const value = { playbook_config: 1, kept: [{ playbook_config: 2 }] }
    const note = { field_key: 'intake.note', value }
    const { status, text } = await at.resume(id, [amount, note], { user_id: 'u-1' })
    expect(status).toBe(200)
    expect(parseEvents(text).at(-1)!.data).toMatchObject({ output: 'You said: answered' })
    expect(at.engine.runRequests().at(-1)!.body).toEqual({
      thread_id: `consultation:${id}`,
      user_id: 'u-1',
      organization_id: 'acme',
      card_id: card.card_id,
      file_ids: [],
      user_response: { answers: [amount, { field_key: 'intake.note', value: { kept: [{}] } }] },
    })
    const messages = await at.messages(id)
    expect(messages.map(({ role }: any) => role)).toEqual([
      'USER',
      'ASSISTANT',
      'USER',
      'ASSISTANT',
    ])
    expect(messages[2].content).toContain('金额是多少？ 100000')
    expect(await at.read(`${sessionsPath}/${id}/pending_card`)).toEqual({
      has_pending_card: false,
      card: null,
    })
  })

  test('a card is published once when it is asked and once when it is answered', async () => {
    const { id, card } = await openWithCard()
    const [first, second] = await Promise.all([at.resume(id, [amount]), at.resume(id, [amount])])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    const rows = await at.sql`
      select body from consultations.event_outbox
      where body -> 'data' ->> 'session_id' = ${id} order by id`
    const data = { session_id: id, card_id: card.card_id }
    const subject = { organization_id: 'acme', user_id: 'u-1', data }
    expect(rows.map(({ body }) => body)).toMatchObject([
      { type: 'card.created', ...subject },
      { type: 'card.answered', ...subject },
    ])
  })

  test('the same answers to a card that was answered since it was read are 409 and store nothing', async () => {
    const { id, card } = await openWithCard()
    expect((await at.resume(id, [amount])).status).toBe(200)
    at.engine.state.staleCard = card
    expect(await at.resume(id, [amount])).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    expect(await at.messages(id)).toHaveLength(4)
    const answered = await at.sql`
      select 1 from consultations.event_outbox
      where body ->> 'type' = 'card.answered' and body -> 'data' ->> 'session_id' = ${id}`
    expect(answered).toHaveLength(1)
  })

  test('answers that an engine accepts before it fails are sent again and streamed', async () => {
    const { id } = await openWithCard()
    const started = at.engine.runs.length
    at.engine.state.lostResponses = 1
    const { status, text } = await at.resume(id, [amount])
    expect(status).toBe(200)
    expect(parseEvents(text).at(-1)!.data).toMatchObject({ output: 'You said: answered' })
    expect(at.engine.runs).toHaveLength(started + 1)
    expect(await at.messages(id)).toHaveLength(4)
  })

  test('the same answers after an outage give the reply of the run that they started', async () => {
    const { id } = await openWithCard()
    const started = at.engine.runs.length
    at.engine.state.lostResponses = 2
    expect((await at.resume(id, [amount])).status).toBe(503)
    const other = { ...amount, value: 1 }
    const refused = { status: 409, code: 'NO_PENDING_CARD' }
    expect(await at.resume(id, [other])).toMatchObject(refused)
    const lawyer = { 'x-user-id': 'lawyer-1', 'x-user-type': 'lawyer' }
    const path = `${sessionsPath}/${id}/resume`
    const body = { user_response: { answers: [amount] } }
    expect(await at.call('POST', path, { body, headers: lawyer })).toMatchObject(refused)
    const { status, text } = await at.resume(id, [amount])
    expect(status).toBe(200)
    expect(parseEvents(text).at(-1)!.data).toMatchObject({ output: 'You said: answered' })
    expect(at.engine.runs).toHaveLength(started + 1)
    const messages = await at.messages(id)
    expect(messages.map(({ role }: any) => role)).toEqual([
      'USER',
      'ASSISTANT',
      'USER',
      'ASSISTANT',
    ])
    expect(messages[2].content).toContain('金额是多少？ 100000')
    expect(await at.resume(id, [amount])).toMatchObject(refused)
  })

  test('without a pending card is 409 NO_PENDING_CARD', async () => {
    const { id } = await at.open()
    expect(await at.resume(id, [amount])).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    expect(await at.messages(id)).toEqual([])
  })

  test('without a required answer is 400 and stores nothing', async () => {
    const { id, card } = await openWithCard()
    expect((await at.resume(id, [])).status).toBe(400)
    expect(await at.messages(id)).toHaveLength(2)
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).card).toEqual(card)
    expect((await at.resume(id, [amount])).status).toBe(200)
  })

  test('of two concurrent resumes one runs; a repeated client_message_id joins it', async () => {
    const { id } = await openWithCard()
    const paused = gate()
    at.engine.state.plan = async function* (request) {
      await paused.opened
      yield* askCardFirst(request) as Iterable<any>
    }
    const body = { user_response: { answers: [amount] }, client_message_id: 'r-1' }
    const first = await at.raw('POST', `${sessionsPath}/${id}/resume`, body)
    const other = await at.resume(id, [amount])
    expect(other).toMatchObject({ status: 409, code: 'TURN_IN_PROGRESS' })
    const again = await at.raw('POST', `${sessionsPath}/${id}/resume`, body)
    paused.open()
    expect(await again.text()).toBe(await first.text())
  })

  test('with a user_id that differs from the header is 400', async () => {
    const { id } = await openWithCard()
    const { status, data } = await at.resume(id, [amount], { user_id: 8 })
    expect(status).toBe(400)
    expect(data.issues[0].path).toBe('user_id')
  })
})

describe('the waiting endpoints', () => {
  test('return the result when the turn has ended', async () => {
    const { id } = await at.open()
    const request = await at.post(`${internalPath}/${id}/messages/user-and-chat`, {
      content: 'hello',
    })
    expect(request.status).toBe(200)
    const { matter_id } = await at.read(`${sessionsPath}/${id}`)
    const pending = await at.read(`${sessionsPath}/${id}/pending_card`)
    expect(request.data).toMatchObject({
      message: { role: 'ASSISTANT', content: '请补充' },
      output: '请补充',
      card: pending.card,
      matter_id,
    })
    const body = { user_id: 7, user_response: { answers: [amount] } }
    const resumed = await at.post(`${internalPath}/${id}/resume`, body)
    expect(resumed.data).toMatchObject({ output: 'You said: answered', card: null, matter_id })
    expect(await at.messages(id)).toHaveLength(4)
  })

  test('return 503 while the engine is unavailable', async () => {
    const { id } = await at.open()
    at.engine.state.down = true
    const request = await at.post(`${internalPath}/${id}/messages/user-and-chat`, {
      content: 'hello',
    })
    expect(request.status).toBe(503)
  })
})
