import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  internalPath,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { echo, end } from '../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())
beforeEach(() => {
  Object.assign(at.engine.state, { plan: echo, down: false })
  at.engine.requests.length = 0
  at.matter.requests.length = 0
  at.files.state.down = false
})

const card = {
  card_id: 'card-1',
  review_type: 'clarify',
  questions: [
    { question: '借条？', field_key: 'intake.files', input_type: 'file', required: true },
  ],
}
/** Requests files after a message and echoes the next messages. */
const askFiles = (request: any) =>
  request.message === undefined
    ? echo(request)
    : [{ event: 'card', data: card }, end('', 'interrupted')]
const answer = (...value: string[]) => [{ field_key: 'intake.files', value }]

describe('a file that the speaker may not read', () => {
  const refused = { status: 404, code: 'NOT_FOUND' }

  test('in create is 404 and no session is stored', async () => {
    const body = { title: 'with a foreign file', file_ids: ['mine', 'other-1'] }
    expect(await at.post(sessionsPath, body)).toMatchObject(refused)
    expect((await at.read(`${sessionsPath}?q=foreign`)).total).toBe(0)
  })

  test.each(['PUT', 'PATCH'])('in %s is 404 and the session is unchanged', async (method) => {
    const session = await at.open({ title: 'Loan', file_ids: ['mine'] })
    const path = `${sessionsPath}/${session.id}`
    const body = { title: 'Changed', file_ids: ['other-1'] }
    expect(await at.call(method, path, { body })).toMatchObject(refused)
    expect(await at.read(path)).toEqual(session)
  })

  test('in chat is 404; no message is stored and nothing runs', async () => {
    const { id } = await at.open()
    expect(await at.chat(id, 'hello', { file_ids: ['mine', 'other-1'] })).toMatchObject(refused)
    const wait = `${internalPath}/${id}/messages/user-and-chat`
    expect(await at.post(wait, { content: 'hello', file_ids: ['other-1'] })).toMatchObject(refused)
    expect(await at.messages(id)).toEqual([])
    expect(at.engine.runRequests()).toEqual([])
    expect(at.matter.requests).toEqual([])
  })

  test('in a card answer is 404 and the card stays pending', async () => {
    const { id } = await at.open()
    at.engine.state.plan = askFiles
    await at.chat(id, 'hello')
    expect(await at.resume(id, answer('mine', 'other-1'))).toMatchObject(refused)
    expect(await at.messages(id)).toHaveLength(2)
    expect((await at.read(`${sessionsPath}/${id}/pending_card`)).card).toEqual(card)
    expect((await at.resume(id, answer('mine'))).status).toBe(200)
  })

  test('is read with the identity of the speaker, not of the session', async () => {
    const { id } = await at.open()
    at.files.requests.length = 0
    const headers = { 'x-user-id': 'lawyer-1', 'x-user-type': 'lawyer' }
    await at.post(`${sessionsPath}/${id}/chat`, { content: 'x', file_ids: ['a'] }, headers)
    const [request] = at.files.requests
    expect(request!.path).toBe('/api/v1/files/a')
    const requestHeader = (name: string) => request!.headers.get(name)
    expect(['x-user-id', 'x-user-type', 'x-organization-id'].map(requestHeader)).toEqual([
      'lawyer-1',
      'lawyer',
      'acme',
    ])
  })
})

test('while files-service is down a request with files is 503 and stores nothing', async () => {
  const { id } = await at.open()
  at.files.state.down = true
  const refused = { status: 503, code: 'UPSTREAM_UNAVAILABLE' }
  expect(await at.chat(id, 'hello', { file_ids: ['mine'] })).toMatchObject(refused)
  expect(await at.post(sessionsPath, { title: 'down', file_ids: ['mine'] })).toMatchObject(refused)
  expect(await at.messages(id)).toEqual([])
  expect((await at.read(`${sessionsPath}?q=down`)).total).toBe(0)
  expect((await at.chat(id, 'hello')).status).toBe(200)
})

test('files of the session, of messages and of cards reach the engine, the matter and the intake', async () => {
  const { id } = await at.open({ file_ids: ['of-session'] })
  await at.chat(id, 'hello', { file_ids: ['of-chat'] })
  at.engine.state.plan = askFiles
  await at.chat(id, 'again')
  await at.resume(id, answer('of-card'))
  await at.call('PATCH', `${sessionsPath}/${id}`, { body: { file_ids: ['of-session', 'late'] } })
  at.engine.state.plan = echo
  await at.chat(id, 'and now')

  const sent = at.engine.runRequests().map(({ body }) => body.file_ids)
  expect(sent).toEqual([
    ['of-session', 'of-chat'],
    ['of-session', 'of-chat'],
    ['of-session', 'of-chat', 'of-card'],
    ['of-session', 'late', 'of-chat', 'of-card'],
  ])
  const added = at.matter.requests
    .filter(({ path }) => path.endsWith('/sync/all'))
    .flatMap(({ body }) => body.file_ids)
  const bound = at.matter.requests.find(({ path }) => path.endsWith('/from-consultation'))!
  expect(bound.body.file_ids).toEqual(['of-session', 'of-chat'])
  expect(new Set(added)).toEqual(new Set(['of-session', 'of-chat', 'of-card', 'late']))
  const { files } = await at.read(`${internalPath}/${id}/intake-context`)
  expect(files.map(({ fileId }: any) => fileId)).toEqual([
    'of-session',
    'late',
    'of-chat',
    'of-card',
  ])
})
