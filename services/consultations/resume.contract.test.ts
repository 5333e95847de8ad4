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
  Object.assign(at.engine.state, { plan: askCardFirst, down: false })
  at.engine.requests.length = 0
})

/** A session that waits for an answer. */
async function interrupted() {
  const { id } = await at.open()
  const shown = parseEvents((await at.chat(id, 'hello')).text)
  return { id, card: shown.find(({ event }) => event === 'card')!.data }
}
const amount = { field_key: 'intake.amount', value: 100_000 }

describe('a resume', () => {
  test('takes the answers to the engine, and streams what follows', async () => {
    const { id, card } = await interrupted()
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

  test('with none pending is refused', async () => {
    const { id } = await at.open()
    expect(await at.resume(id, [amount])).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    expect(await at.messages(id)).toEqual([])
  })

  test('with a missing answer is refused before anything runs', async () => {
    const { id, card } = await interrupted()
    expect((await at.resume(id, [])).status).toBe(400)
    expect(await at.messages(id)).toHaveLength(2)
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).card).toEqual(card)
    expect((await at.resume(id, [amount])).status).toBe(200)
  })

  test('of two at once one runs; sent again with its client_message_id it is joined', async () => {
    const { id } = await interrupted()
    const held = gate()
    at.engine.state.plan = async function* (asked) {
      await held.opened
      yield* askCardFirst(asked) as Iterable<any>
    }
    const body = { user_response: { answers: [amount] }, client_message_id: 'r-1' }
    const first = await at.raw('POST', `${sessionsPath}/${id}/resume`, body)
    const other = await at.resume(id, [amount])
    expect(other).toMatchObject({ status: 409, code: 'TURN_IN_PROGRESS' })
    const again = await at.raw('POST', `${sessionsPath}/${id}/resume`, body)
    held.open()
    expect(await again.text()).toBe(await first.text())
  })

  test('that contradicts who asks is refused', async () => {
    const { id } = await interrupted()
    const { status, data } = await at.resume(id, [amount], { user_id: 8 })
    expect(status).toBe(400)
    expect(data.issues[0].path).toBe('user_id')
  })
})

describe('without a stream', () => {
  test('a chat and a resume are answered when they are over', async () => {
    const { id } = await at.open()
    const asked = await at.post(`${internalPath}/${id}/messages/user-and-chat`, {
      content: 'hello',
    })
    expect(asked.status).toBe(200)
    const { matter_id } = await at.read(`${sessionsPath}/${id}`)
    const pending = await at.read(`${sessionsPath}/${id}/pending_card`)
    expect(asked.data).toMatchObject({
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

  test('an engine that is away is told as such', async () => {
    const { id } = await at.open()
    at.engine.state.down = true
    const asked = await at.post(`${internalPath}/${id}/messages/user-and-chat`, {
      content: 'hello',
    })
    expect(asked.status).toBe(503)
  })
})
