import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  internalPath,
  parseEvents,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { askCardFirst, echo, end } from '../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())
beforeEach(() => {
  Object.assign(at.engine.state, { plan: echo, down: false })
  at.engine.requests.length = 0
  at.matter.requests.length = 0
})

const lawyer = { 'x-user-id': 'lawyer-1', 'x-user-type': 'lawyer' }
const authors = async (id: string) =>
  (await at.messages(id)).map(({ author_id, author_type }: any) => [author_id, author_type])

describe('the author of a message', () => {
  test('is who spoke; the client of the session stays the client of the matter', async () => {
    const { id } = await at.open()
    await at.post(`${sessionsPath}/${id}/chat`, { content: 'I am the lawyer' }, lawyer)
    await at.chat(id, 'I am the client')
    expect(await authors(id)).toEqual([
      ['lawyer-1', 'lawyer'],
      [null, 'assistant'],
      ['u-1', 'client'],
      [null, 'assistant'],
    ])
    const [first, second] = at.engine.runRequests()
    expect(first!.body.user_id).toBe('lawyer-1')
    expect(first!.headers.get('x-user-id')).toBe('lawyer-1')
    expect(first!.headers.get('x-user-type')).toBe('lawyer')
    expect(first!.body.context).toMatchObject({ client_id: 'u-1', client_type: 'client' })
    expect(second!.body.user_id).toBe('u-1')
    const bound = at.matter.requests.find(({ path }) => path.endsWith('/from-consultation'))!
    expect(bound.body).toMatchObject({ user_id: 'u-1', user_type: 'client' })
  })

  test('who answers a card is passed to the engine', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    await at.chat(id, 'hello')
    const answers = [{ field_key: 'intake.amount', value: 5 }]
    const body = { user_response: { answers } }
    expect((await at.post(`${sessionsPath}/${id}/resume`, body, lawyer)).status).toBe(200)
    expect(at.engine.runRequests().at(-1)!.body.user_id).toBe('lawyer-1')
    expect((await authors(id))[2]).toEqual(['lawyer-1', 'lawyer'])
  })

  test('of an internal request is the header, else the body, else the client', async () => {
    const { id } = await at.open()
    const path = `${internalPath}/${id}/messages/user-and-chat`
    const none = { 'x-user-id': undefined, 'x-user-type': undefined }
    await at.call('POST', path, { body: { content: 'one' }, headers: none })
    await at.call('POST', path, { body: { content: 'two' }, headers: lawyer })
    at.engine.state.plan = askCardFirst
    await at.call('POST', path, { body: { content: 'three' }, headers: none })
    const body = {
      user_id: 8,
      user_response: { answers: [{ field_key: 'intake.amount', value: 5 }] },
    }
    await at.call('POST', `${internalPath}/${id}/resume`, { body, headers: none })
    expect((await authors(id)).filter(([author]: any) => author !== null)).toEqual([
      ['u-1', 'client'],
      ['lawyer-1', 'lawyer'],
      ['u-1', 'client'],
      ['8', 'client'],
    ])
  })

  test('of a message that a service adds is the assistant', async () => {
    const { id } = await at.open()
    await at.post(`${internalPath}/${id}/messages/assistant`, { content: 'Done.' })
    expect(await authors(id)).toEqual([[null, 'assistant']])
  })
})

describe('an unknown answer', () => {
  test('to a required question is stored as text and passed to the engine', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    await at.chat(id, '你好')
    const unknown = { field_key: 'intake.amount', value: null, unknown: true }
    expect((await at.resume(id, [unknown])).status).toBe(200)
    expect(at.engine.runRequests().at(-1)!.body.user_response.answers).toEqual([unknown])
    const [, , message] = await at.messages(id)
    expect(message.content).toBe('金额是多少？ 不知道')
  })
})

describe('texts of the service', () => {
  test.each([
    ['中文会话', '借款到期不还怎么办？', /[一-鿿]/],
    ['English session', 'What can I do?', /^[ -~’]+$/],
  ])('of a %s are in its language', async (title, content, pattern) => {
    const { id } = await at.open({ title })
    at.engine.state.plan = () => [
      { event: 'error', data: { code: 'STOPPED', message: 'The run was stopped.' } },
      end('', 'failed'),
    ]
    const [error] = parseEvents((await at.chat(id, content)).text)
    expect(error!.data).toMatchObject({ code: 'STOPPED', message: expect.stringMatching(pattern) })
    expect((await at.resume(id, [])).message).toMatch(pattern)
    at.engine.state.down = true
    expect((await at.chat(id, content)).message).toMatch(pattern)
    at.engine.state.down = false
    await at.call('DELETE', `${sessionsPath}/${id}`)
    expect((await at.chat(id, content)).message).toMatch(pattern)
  })

  test('stay in the language of the messages after a name or a choice is answered', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    await at.chat(id, '借款到期不还怎么办？')
    const answers = ['Amy Li', 'bank_transfer'].map((value) => ({
      field_key: 'intake.note',
      value,
    }))
    const amount = { field_key: 'intake.amount', value: 100_000 }
    expect((await at.resume(id, [amount, answers[0]!])).status).toBe(200)
    expect((await at.resume(id, [amount, answers[1]!])).message).toMatch(/[一-鿿]/)
  })
})
