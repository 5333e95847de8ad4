import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  answersTo,
  type EngineStage,
  parseNdjson,
  stageEngine,
  story,
} from '../../tests/support/engine.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())
beforeEach(() => {
  at.matter.requests.length = 0
  at.matter.state.down = false
})

let number = 0
/** Request body of a consultation. */
const turn = (more: object = {}) => {
  const session_id = `s-${++number}`
  return { session_id, matter_id: `m-${number}`, user_id: 7, message: story, ...more }
}
const threadId = ({ session_id }: { session_id: string }) => `consultation:${session_id}`
const execute = (body: object, headers = {}) => at.post('/agent/execute', body, headers)
/** A thread that waits for an answer. */
async function startInterrupted() {
  const request = turn()
  const { data } = await execute(request)
  expect(data.status).toBe('interrupted')
  return {
    asked: request,
    thread_id: data.thread_id as string,
    card: data.card,
    run_id: data.run_id as string,
  }
}

describe('execute', () => {
  test('a question is answered by numbered events whose tokens add up to the output', async () => {
    const request = turn({ message: '什么是诉讼时效？' })
    const { status, text, headers } = await at.post('/agent/execute/stream', request)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/x-ndjson')
    const events = parseNdjson(text)
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, index) => index + 1))
    const words = events.filter(({ event }) => event === 'token')
    expect(words.every(({ data }) => data.node === 'chat_respond')).toBe(true)
    const end = events.at(-1)!
    expect(end).toMatchObject({ event: 'end', data: { status: 'completed' } })
    expect(words.map(({ data }) => data.content).join('')).toBe(end.data.output)
    expect(events.at(-2)).toMatchObject({ event: 'result', data: { skills: ['chat'] } })
  })

  test('a case with missing fields is synced and ends with a pending card', async () => {
    const { thread_id, card } = await startInterrupted()
    expect(card).toMatchObject({ review_type: 'clarify', questions: expect.any(Array) })
    expect(
      card.questions.every(({ field_key }: any) => field_key.startsWith('intake_collection.')),
    ).toBe(true)
    expect(at.syncBodies()).toHaveLength(1)
    const pending = await at.get(`/agent/pending_card?thread_id=${thread_id}`)
    expect(pending.data).toEqual({ has_pending_card: true, card })
    const again = await execute({ ...turn(), thread_id })
    expect(again).toMatchObject({ status: 409, code: 'CARD_PENDING', data: { card } })
  })

  test('an interrupted run streams task, card and end in this order', async () => {
    const events = parseNdjson((await at.post('/agent/execute/stream', turn())).text)
    const names = events.map(({ event }) => event).filter((name) => name !== 'progress')
    expect(names).toEqual(['task_start', 'task_end', 'card', 'end'])
    expect(events.at(-1)!.data.status).toBe('interrupted')
  })

  test('execute uses the given thread id, else the id derived from the session', async () => {
    const request = turn({ message: '你好' })
    expect((await execute(request)).data.thread_id).toBe(threadId(request))
    expect((await execute({ ...request, thread_id: 'x:1' })).data.thread_id).toBe('x:1')
    expect((await execute({ user_id: 7, message: '你好' })).status).toBe(400)
  })

  test.each([
    ['at top level', { playbook_config: {} }],
    ['deep in the context', { context: { a: [{ b: { playbook_config: null } }] } }],
  ])('playbook_config %s is rejected before anything is stored', async (_, more) => {
    const request = turn(more)
    for (const path of ['/agent/execute', '/agent/execute/stream', '/skills/chat/execute'])
      expect(await at.post(path, request)).toMatchObject({
        status: 422,
        code: 'PLAYBOOK_CONFIG_REJECTED',
      })
    expect((await at.get(`/agent/threads/${threadId(request)}/state`)).status).toBe(404)
    const resume = { thread_id: threadId(request), user_response: { answers: [] }, ...more }
    expect((await at.post('/agent/resume', resume)).status).toBe(422)
  })

  test.each([
    ['nothing to do', { message: ' ' }, 'message'],
    ['an unknown skill', { skill: 'no_such' }, 'skill'],
    ['a thread id with a space', { thread_id: 'a b' }, 'thread_id'],
    ['a skill to run alone without its name', { skill_only: true }, 'skill'],
    ['another mode', { mode: 'playbook' }, 'mode'],
    ['an organization that is not the header’s', { organization_id: 'other' }, 'organization_id'],
  ])('execute with %s returns 400', async (_, more, path) => {
    const { status, data } = await execute(turn(more))
    expect(status).toBe(400)
    expect(data.issues[0].path).toBe(path)
  })

  test('a thread is not visible to another organization', async () => {
    const { thread_id, run_id } = await startInterrupted()
    const other = { 'x-organization-id': 'other' }
    expect((await at.get(`/agent/pending_card?thread_id=${thread_id}`, other)).data).toEqual({
      has_pending_card: false,
      card: null,
    })
    expect((await at.get(`/agent/threads/${thread_id}/state`, other)).status).toBe(404)
    expect((await at.get(`/agent/threads/${thread_id}/checkpoints`, other)).status).toBe(404)
    expect((await at.get(`/agent/runs/${run_id}/stream`, other)).status).toBe(404)
    expect((await execute({ ...turn(), thread_id }, other)).status).toBe(404)
    const answer = { thread_id, user_response: { answers: [] } }
    expect((await at.post('/agent/resume', answer, other)).status).toBe(404)
    expect((await at.post('/agent/cancel', { thread_id }, other)).status).toBe(404)
    expect((await at.get(`/timeline?thread_id=${thread_id}`, other)).data.total).toBe(0)
    expect((await at.get(`/traces?thread_id=${thread_id}`, other)).data.total).toBe(0)
  })

  test('of concurrent requests on one thread one runs and the others are rejected', async () => {
    const request = turn()
    const answers = await Promise.all([execute(request), execute(request), execute(request)])
    const codes = answers.map(({ status, code }) => (status === 200 ? 'ran' : code)).sort()
    expect(codes.filter((code) => code === 'ran')).toHaveLength(1)
    expect(
      codes.every((code) => ['ran', 'TURN_IN_PROGRESS', 'CARD_PENDING'].includes(String(code))),
    ).toBe(true)
    expect((await at.get(`/timeline?thread_id=${threadId(request)}`)).data.total).toBe(1)
  })
})

describe('resume', () => {
  test('resume stores each answer at its field_key and completes the run', async () => {
    const { thread_id, card, asked: request } = await startInterrupted()
    const user_response = answersTo(card)
    const { status, data } = await at.post('/agent/resume', {
      thread_id,
      user_id: 7,
      user_response,
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({ thread_id, status: 'completed', card: null })
    expect(data.result.skills).toEqual(['intake_collection', 'case_summary', 'chat'])
    const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
    for (const { field_key, value } of user_response.answers) {
      const [part, field] = field_key.split('.')
      expect(state[part!][field!]).toEqual(value)
    }
    expect(at.syncBodies().at(-1).data.work_product.case_summary).toBeDefined()
    expect(
      at.matter.requests.every(({ headers }) => headers.get('x-organization-id') === 'acme'),
    ).toBe(true)
    expect(at.matter.requests.at(-1)!.path).toContain(request.matter_id)
    expect((await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.has_pending_card).toBe(
      false,
    )
  })

  test('resume starts a new run whose events are numbered from 1', async () => {
    const { thread_id, card } = await startInterrupted()
    const body = { thread_id, user_id: 7, user_response: answersTo(card) }
    const events = parseNdjson((await at.post('/agent/resume/stream', body)).text)
    expect(events[0]!.data.seq).toBe(1)
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
  })

  test('resume with the same answers returns the same run; other answers are rejected', async () => {
    const { thread_id, card } = await startInterrupted()
    const body = { thread_id, card_id: card.card_id, user_response: answersTo(card) }
    const first = await at.post('/agent/resume', body)
    const again = await at.post('/agent/resume', body)
    expect(again.data).toEqual(first.data)
    expect((await at.post('/agent/resume', { ...body, card_id: undefined })).data).toEqual(
      first.data,
    )
    const [one, ...rest] = body.user_response.answers
    const other = { ...body, user_response: { answers: [{ ...one!, value: 'another' }, ...rest] } }
    expect(await at.post('/agent/resume', other)).toMatchObject({
      status: 409,
      code: 'CARD_ANSWERED',
    })
    expect((await at.get(`/timeline?thread_id=${thread_id}`)).data.total).toBe(2)
  })

  test('concurrent resumes with the same answers start one run', async () => {
    const { thread_id, card } = await startInterrupted()
    const body = { thread_id, user_response: answersTo(card) }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => at.post('/agent/resume', body)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ data }) => data.run_id)).size).toBe(1)
  })

  test('resume without a pending card, with another card or of an unknown thread is rejected', async () => {
    const request = turn({ message: '你好' })
    await execute(request)
    const user_response = { answers: [] }
    expect(
      await at.post('/agent/resume', { thread_id: threadId(request), user_response }),
    ).toMatchObject({
      status: 409,
      code: 'NO_PENDING_CARD',
    })
    expect((await at.post('/agent/resume', { thread_id: 'none', user_response })).status).toBe(404)
    const { thread_id, card } = await startInterrupted()
    const card_id = '00000000-0000-7000-8000-000000000000'
    const body = { thread_id, card_id, user_response: answersTo(card) }
    expect((await at.post('/agent/resume', body)).status).toBe(409)
    expect((await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.has_pending_card).toBe(
      true,
    )
  })

  test('resume with an invalid answer changes nothing', async () => {
    const { thread_id, card } = await startInterrupted()
    const { answers } = answersTo(card)
    const required = card.questions.findIndex(({ required }: any) => required)
    const wrong = [
      answers.filter((_, index) => index !== required),
      [...answers, { field_key: 'intake_collection.unasked', value: 1 }],
      answers.map((answer, index) => (index === required ? { ...answer, value: null } : answer)),
      answers.map((answer, index) =>
        index === required ? { ...answer, value: { a: 1 } } : answer,
      ),
      [...answers, answers[0]],
    ]
    for (const each of wrong) {
      const { status, code } = await at.post('/agent/resume', {
        thread_id,
        user_response: { answers: each },
      })
      expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    }
    expect((await at.get(`/timeline?thread_id=${thread_id}`)).data.total).toBe(1)
    expect((await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.card).toEqual(card)
  })
})

describe('run events', () => {
  test('the events of a run can be read again from any position, byte for byte', async () => {
    const { thread_id, card } = await startInterrupted()
    const body = { thread_id, user_response: answersTo(card) }
    const { text } = await at.post('/agent/resume/stream', body)
    const [run] = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
    const lines = text.trimEnd().split('\n')
    for (const after of [0, 1, lines.length - 1, lines.length]) {
      const again = await at.get(`/agent/runs/${run.run_id}/stream?after=${after}`)
      expect(again.text).toBe(
        lines
          .slice(after)
          .map((line) => `${line}\n`)
          .join(''),
      )
    }
  })
})

test('requests to peers carry the request id and trace of the run', async () => {
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await execute(turn(), { 'x-request-id': 'asked-1', traceparent: trace })
  for (const { headers } of at.matter.requests) {
    expect(headers.get('x-request-id')).toBe('asked-1')
    expect(headers.get('traceparent')).toContain('0af7651916cd43dd8448eb211c80319c')
  }
  expect(at.matter.requests.length).toBeGreaterThan(1)
})

describe('unavailable matter-service', () => {
  test('an unavailable matter-service delays the sync and the run completes', async () => {
    at.matter.state.down = true
    const request = turn()
    const { data } = await execute(request)
    expect(data.status).toBe('interrupted')
    expect(
      await at.sql`select 1 from ai_engine.outbox where thread_id = ${data.thread_id} and status = 'PENDING'`,
    ).toHaveLength(1)
    at.matter.state.down = false
    at.matter.requests.length = 0
    await at.sql`update ai_engine.jobs set run_at = now()`
    await at.tick()
    expect(at.syncBodies()).toHaveLength(1)
    expect(
      await at.sql`select 1 from ai_engine.outbox where thread_id = ${data.thread_id} and status = 'DELIVERED'`,
    ).toHaveLength(1)
  })
})
