import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'
import { makePeer, type RecordedRequest } from '../../tests/support/matter.ts'

const knowledge = makePeer(({ path }) =>
  path.endsWith('-search')
    ? { hits: [] }
    : { items: [], total: 0, page: 1, size: 200, total_pages: 0 },
)
const files = makePeer(() => ({ text: '借条', pages: 1, language: 'zh', truncated: false }))

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({
    peers: { 'knowledge-service': knowledge.peer, 'files-service': files.peer },
  })
})
afterAll(() => at.close())
beforeEach(() => {
  for (const { requests } of [knowledge, files, at.memory]) requests.length = 0
})

const question = '什么是诉讼时效？'
const identity = ({ headers }: RecordedRequest) =>
  ['x-organization-id', 'x-user-id', 'x-user-type'].map((name) => headers.get(name))
/** The distinct identities of requests. */
const identities = (requests: RecordedRequest[]) => [
  ...new Map(requests.map((request) => [identity(request).join(), identity(request)])).values(),
]
const searches = () => knowledge.requests.filter(({ path }) => path.endsWith('-search'))
const memoryUsers = () =>
  at.memory.requests.map(({ path, body }) => body?.user_id ?? /users\/([^/]+)/.exec(path)![1])

test.each([
  ['client', 'client'],
  ['lawyer', 'lawyer'],
  ['an unknown type', 'client'],
  [undefined, 'client'],
])('for user type %s the law is searched with the rights of a %s', async (sent, used) => {
  const body = { session_id: `type-${sent}`, user_id: 'u-1', message: question }
  const headers = { 'x-user-type': sent }
  expect((await at.post('/agent/execute', body, headers)).data.status).toBe('completed')
  expect(searches().length).toBeGreaterThan(0)
  expect(identities(knowledge.requests)).toEqual([['acme', 'u-1', used]])
})

test('a run without a person searches with the rights of the organization', async () => {
  await at.post('/agent/execute', { session_id: 'service', message: question })
  expect(identities(searches())).toEqual([['acme', null, null]])
})

test.each([
  ['a client', 'client', 'client'],
  ['a person of unknown type', undefined, 'client'],
  ['another lawyer', 'lawyer', 'lawyer'],
])(
  'in the session of %s a lawyer searches with the rights of a %s',
  async (_, client_type, used) => {
    const context = { client_id: 'owner-1', ...(client_type && { client_type }) }
    const session_id = `owned-${client_type}`
    const body = { session_id, user_id: 'lawyer-1', message: question, context }
    await at.post('/agent/execute', body, { 'x-user-type': 'lawyer' })
    expect(searches().length).toBeGreaterThan(0)
    expect(identities(knowledge.requests)).toEqual([['acme', 'lawyer-1', used]])
    expect(identities(at.memory.requests)).toEqual([['acme', 'lawyer-1', 'lawyer']])
  },
)

test.each(['client', 'lawyer'])(
  'after a lawyer answered the card of a %s, searches have the rights of both',
  async (type) => {
    const body = { session_id: `answered-${type}`, user_id: 'owner-2', message: story }
    const { thread_id, card } = (await at.post('/agent/execute', body, { 'x-user-type': type }))
      .data
    knowledge.requests.length = 0
    const answer = { thread_id, user_id: 'lawyer-1', user_response: answersTo(card) }
    await at.post('/agent/resume', answer, { 'x-user-type': 'lawyer' })
    expect(identities(knowledge.requests)).toEqual([['acme', 'lawyer-1', type]])
  },
)

test('a run after the deadline of a card has the rights of the client, also if a lawyer spoke last', async () => {
  const context = { client_id: 'owner-3' }
  const body = { session_id: 'expired', user_id: 'lawyer-1', message: story, context }
  const { data } = await at.post('/agent/execute', body, { 'x-user-type': 'lawyer' })
  await at.sql`
    update ai_engine.cards set on_expiry = 'skip', expires_at = now() - interval '1 hour'
    where card_id = ${data.card.card_id}`
  knowledge.requests.length = 0
  await at.tick()
  const loadRounds = async () => (await at.get(`/timeline?thread_id=${data.thread_id}`)).data.items
  await expect
    .poll(async () => (await loadRounds())[0])
    .toMatchObject({ round: 2, ended_at: expect.any(String) })
  expect(identities(knowledge.requests)).toEqual([['acme', 'lawyer-1', 'client']])
})

test('a replay keeps the rights of the speaker', async () => {
  const body = { session_id: 'replayed', user_id: 'u-1', message: question }
  const { thread_id } = (await at.post('/agent/execute', body, { 'x-user-type': 'lawyer' })).data
  await at.sql`delete from ai_engine.calls where thread_id = ${thread_id}`
  knowledge.requests.length = 0
  const { items } = (await at.get(`/agent/threads/${thread_id}/checkpoints`)).data
  const { checkpoint_id } = items.find(({ node }: { node: string }) => node === 'start')
  const replay = await at.post('/agent/replay', { thread_id, checkpoint_id })
  expect(replay.data.status).toBe('completed')
  expect(identities(searches())).toEqual([['acme', 'u-1', 'lawyer']])
})

test('a thread whose speaker was erased has the rights of a client', async () => {
  const context = { client_id: 'client-9' }
  const body = { session_id: 'erased', user_id: 'lawyer-9', message: question, context }
  const { thread_id } = (await at.post('/agent/execute', body, { 'x-user-type': 'lawyer' })).data
  await at.call('POST', '/api/v1/internal/erasure', { body: { user_id: 'lawyer-9' } })
  await at.sql`delete from ai_engine.calls where thread_id = ${thread_id}`
  knowledge.requests.length = 0
  const { items } = (await at.get(`/agent/threads/${thread_id}/checkpoints`)).data
  const { checkpoint_id } = items.find(({ node }: { node: string }) => node === 'start')
  await at.post('/agent/replay', { thread_id, checkpoint_id })
  expect(identities(searches())).toEqual([['acme', null, 'client']])
})

test('memory is read for the client of the matter, also while a lawyer speaks or answers a card', async () => {
  const lawyer = { 'x-user-type': 'lawyer' }
  const turn = { session_id: 'matter', user_id: 'lawyer-1', message: story }
  const context = { client_id: 'client-1' }
  const first = await at.post('/agent/execute', { ...turn, context }, lawyer)
  expect(first.data.status).toBe('interrupted')
  expect(new Set(memoryUsers())).toEqual(new Set(['client-1']))
  const { thread_id, card } = first.data
  const answer = { thread_id, user_id: 'lawyer-2', user_response: answersTo(card) }
  expect((await at.post('/agent/resume', answer, lawyer)).status).toBe(200)
  expect(new Set(memoryUsers())).toEqual(new Set(['client-1']))
  expect(identities(at.memory.requests).at(-1)).toEqual(['acme', 'lawyer-2', 'lawyer'])
})

test('a card of a client that a lawyer answers does not make the lawyer the client', async () => {
  const { data } = await at.post('/agent/execute', {
    session_id: 'own',
    user_id: 'client-2',
    message: story,
  })
  const { thread_id, card } = data
  const answer = { thread_id, user_id: 'lawyer-1', user_response: answersTo(card) }
  await at.post('/agent/resume', answer, { 'x-user-type': 'lawyer' })
  expect(new Set(memoryUsers())).toEqual(new Set(['client-2']))
})

test('an id that no header can carry does not keep a run from other services', async () => {
  const body = { session_id: 'name', user_id: '张三', message: question }
  expect((await at.post('/agent/execute', body)).data).toMatchObject({ status: 'completed' })
  expect(identities(searches())).toEqual([['acme', null, 'client']])
  expect(memoryUsers()[0]).toBe(encodeURIComponent('张三'))
})
