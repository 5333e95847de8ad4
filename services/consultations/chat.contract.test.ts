import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  parseEvents,
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
  Object.assign(at.engine.state, { plan: echo, down: false })
  at.engine.requests.length = 0
  at.matter.requests.length = 0
  at.matter.state.down = false
})

describe('chat', () => {
  test('streams the public events, numbered from 1, and the end', async () => {
    const { id } = await at.open()
    const { status, headers, text } = await at.chat(id, 'hello')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/event-stream')
    const events = parseEvents(text)
    expect(events.map(({ event }) => event)).toEqual([
      'progress',
      'delta',
      'delta',
      'result',
      'end',
    ])
    const turn = events[0]!.id.split(':')[0]
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${turn}:${index + 1}`))
    expect(events.map(({ data }) => data.seq)).toEqual(events.map(() => undefined))
    expect(events[3]!.data).toEqual({ skills: ['chat'] })
    const [user, assistant] = await at.messages(id)
    const { matter_id } = await at.read(`${sessionsPath}/${id}`)
    expect(events[4]!.data).toEqual({
      output: 'You said: hello',
      message_id: assistant.id,
      matter_id,
      interrupted: false,
    })
    expect(user).toMatchObject({ seq: 1, role: 'USER', content: 'hello', card: null })
    expect(assistant).toMatchObject({ seq: 2, role: 'ASSISTANT', content: 'You said: hello' })
  })

  test('binds the session to one matter and sends the engine only profile fields', async () => {
    const { id } = await at.open({ title: 'Loan', file_ids: ['f-0'] })
    await at.chat(id, 'hello', { file_ids: ['f-1', 'f-1'], context: { playbook_config: {} } })
    await at.chat(id, 'again')
    const bound = at.matter.requests.filter(({ path }) => path.endsWith('/from-consultation'))
    expect(bound).toHaveLength(1)
    expect(bound[0]!.body).toEqual({
      session_id: id,
      user_id: 'u-1',
      organization_id: 'acme',
      title: 'Loan',
      service_type_id: 'legal_consultation',
      file_ids: ['f-0', 'f-1'],
      user_type: 'client',
    })
    const { matter_id } = await at.read(`${sessionsPath}/${id}`)
    const [first] = at.engine.runRequests()
    expect(first!.body).toEqual({
      thread_id: `consultation:${id}`,
      session_id: id,
      matter_id,
      user_id: 'u-1',
      organization_id: 'acme',
      message: 'hello',
      file_ids: ['f-0', 'f-1'],
      context: {
        matter_profile: {
          matter_id: 'm',
          status: 'DRAFT',
          profile: { goal: 'x', deep: [{ kept: true }] },
          todos: [],
        },
      },
    })
    const [user] = await at.messages(id)
    expect(user.file_ids).toEqual(['f-1'])
  })

  test('of two concurrent chats one runs and one gets 409; one matter is created', async () => {
    const { id } = await at.open()
    const paused = gate()
    at.engine.state.plan = async function* (request) {
      await paused.opened
      yield* echo(request) as Iterable<any>
    }
    const both = [at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'one' })]
    both.push(at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'two' }))
    const answers = await Promise.all(both)
    paused.open()
    const refused = answers.find(({ status }) => status !== 200)!
    expect(refused.status).toBe(409)
    expect(((await refused.json()) as any).code).toBe('TURN_IN_PROGRESS')
    await answers.find(({ status }) => status === 200)!.text()
    expect(await at.messages(id)).toHaveLength(2)
    expect(
      at.matter.requests.filter(({ path }) => path.endsWith('/from-consultation')),
    ).toHaveLength(1)
  })

  test('a repeated client_message_id joins the running turn and later replays it', async () => {
    const { id } = await at.open()
    const paused = gate()
    at.engine.state.plan = async function* () {
      yield token('half ')
      await paused.opened
      yield token('whole')
      yield end('half whole')
    }
    const body = { content: 'once', client_message_id: 'c-1' }
    const [one, two] = await Promise.all([
      at.raw('POST', `${sessionsPath}/${id}/chat`, body),
      at.raw('POST', `${sessionsPath}/${id}/chat`, body),
    ])
    paused.open()
    const texts = await Promise.all([one.text(), two.text()])
    expect(parseEvents(texts[0]).map(({ event }) => event)).toEqual(['delta', 'delta', 'end'])
    expect(texts[1]).toBe(texts[0])
    expect((await at.post(`${sessionsPath}/${id}/chat`, body)).text).toBe(texts[0])
    expect(await at.messages(id)).toHaveLength(2)
    const other = await at.chat(id, 'else', { client_message_id: 'c-1' })
    expect(other).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  test('while a card is pending is 409 with the card and stores nothing', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askCardFirst
    const events = parseEvents((await at.chat(id, 'hello')).text)
    const { data: card } = events.find(({ event }) => event === 'card')!
    expect(events.at(-1)!.data).toMatchObject({ interrupted: true, output: '请补充' })
    const refused = await at.chat(id, 'more')
    expect(refused).toMatchObject({ status: 409, code: 'CARD_PENDING', data: { card } })
    const messages = await at.messages(id)
    expect(messages.map(({ role }: any) => role)).toEqual(['USER', 'ASSISTANT'])
    expect(messages[1].card).toEqual(card)
    expect(await at.read(`${sessionsPath}/${id}/pending_card`)).toEqual({
      has_pending_card: true,
      card,
    })
  })

  test.each([
    ['matter-service', () => Object.assign(at.matter.state, { down: true })],
    ['ai-engine', () => Object.assign(at.engine.state, { down: true })],
  ])(
    'while %s is unavailable is stored and continues with its client_message_id',
    async (_, down) => {
      const { id } = await at.open()
      down()
      const body = { content: 'hello', client_message_id: 'c' }
      const failed = await at.post(`${sessionsPath}/${id}/chat`, body)
      expect(failed).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' })
      expect((await at.messages(id)).map(({ content }: any) => content)).toEqual(['hello'])
      at.matter.state.down = false
      at.engine.state.down = false
      await expect
        .poll(async () => (await at.post(`${sessionsPath}/${id}/chat`, body)).status, {
          timeout: 10_000,
        })
        .toBe(200)
      expect((await at.messages(id)).map(({ role }: any) => role)).toEqual(['USER', 'ASSISTANT'])
    },
  )

  test.each([
    ['empty content', { content: '' }, 'content'],
    ['blank content', { content: ' \n ' }, 'content'],
    ['content over the limit', { content: 'x'.repeat(20_001) }, 'content'],
    ['an empty file id', { content: 'x', file_ids: [''] }, 'file_ids.0'],
  ])('with %s is 400', async (_, body, where) => {
    const { id } = await at.open()
    const { status, data } = await at.post(`${sessionsPath}/${id}/chat`, body)
    expect(status).toBe(400)
    expect(data.issues[0].path).toBe(where)
    expect(await at.messages(id)).toEqual([])
  })

  test('a run that fails in the engine streams error and end', async () => {
    const { id } = await at.open()
    at.engine.state.plan = () => [
      token('I was about to '),
      { event: 'error', data: { code: 'STEP_FAILED', message: 'No.' } },
      end('', 'failed'),
    ]
    const events = parseEvents((await at.chat(id, 'hello')).text)
    expect(events.map(({ event }) => event)).toEqual(['delta', 'error', 'end'])
    expect(events[1]!.data).toEqual({ code: 'STEP_FAILED', message: 'No.' })
    const [, assistant] = await at.messages(id)
    expect(assistant).toMatchObject({
      id: events[2]!.data.message_id,
      content: 'I was about to ',
      metadata: { error: { code: 'STEP_FAILED', message: 'No.' } },
    })
  })
})
