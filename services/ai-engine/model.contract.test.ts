import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ai,
  answersTo,
  type EngineStage,
  parseNdjson,
  stageEngine,
  story,
} from '../../tests/support/engine.ts'
import { type ScriptedModel, scriptedModel } from '../../tests/support/scripted-model.ts'
import { key } from '../../tests/support/stage.ts'

let at: EngineStage
let model: ScriptedModel
beforeAll(async () => {
  model = await scriptedModel({ say: 'Hello.' })
  at = await stageEngine({
    env: {
      AI_BASE_URL: model.baseUrl,
      AI_MODEL: 'scripted',
      AI_API_KEY: 'sk-a-secret-of-the-test',
    },
  })
})
afterAll(async () => {
  await at.close()
  await model.close()
})
beforeEach(() => model.script({ say: ['诉讼', '时效', '期间。'] }))

let number = 0
const buildRequest = (more: object = {}) => ({
  session_id: `s-${++number}`,
  user_id: `u-${number}`,
  message: '什么是诉讼时效？',
  ...more,
})
const stream = async (body: object) =>
  parseNdjson((await at.post('/agent/execute/stream', body)).text)
const tokenTexts = (events: ReturnType<typeof parseNdjson>) =>
  events.filter(({ event }) => event === 'token').map(({ data }) => data.content)

describe('a model', () => {
  test('model tokens are streamed and the usage is recorded', async () => {
    const request = buildRequest()
    const usage = {
      prompt_tokens: 11,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 8 },
    }
    model.script({ say: ['诉讼', '时效', '期间。'], usage })
    const events = await stream(request)
    expect(tokenTexts(events).join('')).toBe('诉讼时效期间。')
    expect(events.at(-1)!.data).toMatchObject({ output: '诉讼时效期间。', status: 'completed' })
    const { data } = await at.get(`/usage?user_id=${request.user_id}`)
    expect(data.items).toMatchObject([
      {
        skill: 'chat',
        model: 'scripted',
        input_tokens: 11,
        output_tokens: 7,
        cached_tokens: 8,
        organization_id: 'acme',
      },
    ])
    const stats = (await at.get(`/usage/stats?user_id=${request.user_id}`)).data
    const sum = { calls: 1, input_tokens: 11, output_tokens: 7, cached_tokens: 8 }
    expect(stats.total).toEqual(sum)
    expect(stats.by_skill).toEqual([{ skill: 'chat', ...sum }])
    expect(stats.by_model).toEqual([{ model: 'scripted', ...sum }])
    const { trace_id } = (await at.get(`/timeline?session_id=${request.session_id}`)).data.items[0]
    expect((await at.get(`/traces/${trace_id}`)).data.usage).toEqual(sum)
    expect(
      (await at.get(`/usage?user_id=${request.user_id}`, { 'x-organization-id': 'other' })).data
        .total,
    ).toBe(0)
  })

  test('an interrupted model response is retried without losing or repeating text', async () => {
    model.script(
      { say: ['诉讼', '时效', '期间。'], disconnectAfter: 2 },
      { say: ['诉讼', '时效', '期间。'] },
    )
    const events = await stream(buildRequest())
    expect(tokenTexts(events).join('')).toBe('诉讼时效期间。')
    expect(model.requests).toHaveLength(2)
  })

  test('a retry with a different text starts a new paragraph and emits a progress event', async () => {
    model.script({ say: ['One', ' way.'], disconnectAfter: 1 }, { say: ['Another', ' way.'] })
    const events = await stream(buildRequest())
    expect(tokenTexts(events).join('')).toBe('One\n\nAnother way.')
    expect(events.some(({ event }) => event === 'progress')).toBe(true)
    expect(events.at(-1)!.data.output).toBe('One\n\nAnother way.')
  })

  test('a 429 of the model is retried; after a 400 rules write the reply', async () => {
    model.script({ status: 429, headers: { 'retry-after': '0' } }, { say: ['好。'] })
    expect((await stream(buildRequest())).at(-1)!.data.output).toBe('好。')
    model.script({ status: 400 })
    const events = await stream(buildRequest())
    expect(events.at(-1)!.data.status).toBe('completed')
    expect(events.at(-2)!.data.outputs.chat.answered_by).toBe('rules')
    expect(JSON.stringify(events)).not.toContain('sk-a-secret')
  })

  test('a call of an unlisted tool is rejected and model text does not change the state', async () => {
    const call = [{ name: 'delete_everything', arguments: { state: { work: {} } } }]
    model.script({ call }, { say: ['{"work": {"intake_collection": "done"}} 好。'] })
    const { data } = await at.post('/agent/execute', buildRequest())
    expect(data.status).toBe('completed')
    const { state } = (await at.get(`/agent/threads/${data.thread_id}/state`)).data
    expect(state.work).toEqual({ chat: 'done' })
    const { spans } = (await at.get(`/traces/${data.trace_id}`)).data
    const refused = spans.flatMap(({ attributes }: any) => attributes.refused ?? [])
    expect(refused).toEqual([{ name: 'delete_everything', why: 'unlisted' }])
  })

  test('structured output that is not JSON falls back to the rules', async () => {
    model.script({ say: ['not json'] })
    const { data } = await at.post(
      '/agent/execute',
      buildRequest({ message: story, matter_id: 'm' }),
    )
    expect(data.status).toBe('interrupted')
    expect(data.card.questions.length).toBeGreaterThan(0)
  })

  test('a resume does not repeat the model calls made before the card', async () => {
    const { data } = await at.post(
      '/agent/execute',
      buildRequest({ message: story, matter_id: 'm' }),
    )
    const before = model.requests.length
    expect(before).toBeGreaterThan(0)
    const { thread_id, card } = data
    await at.post('/agent/resume', { thread_id, user_response: answersTo(card) })
    const later = model.requests.slice(before).map(({ messages }) => JSON.stringify(messages))
    const first = model.requests.slice(0, before).map(({ messages }) => JSON.stringify(messages))
    expect(later.filter((request) => first.includes(request))).toEqual([])
  })

  test('a replay of parallel tool calls uses every recorded result in the order of the calls', async () => {
    const call = [
      { name: 'recall_memory', arguments: { query: 'loan' } },
      { name: 'recall_memory', arguments: { query: 'wage' } },
      { name: 'recall_memory', arguments: { query: 'loan' } },
    ]
    model.script({ call }, { say: ['Known.'] })
    const { data } = await at.post('/agent/execute', buildRequest())
    const results = model.requests[1].messages.filter(({ role }: any) => role === 'tool')
    expect(results.map(({ tool_call_id }: any) => tool_call_id)).toEqual([
      'call_0',
      'call_1',
      'call_2',
    ])
    const points = (await at.get(`/agent/threads/${data.thread_id}/checkpoints`)).data.items
    const { checkpoint_id } = points.find(({ node }: any) => node === 'start')
    model.script({ say: ['Something else.'] })
    at.memory.requests.splice(0)
    const replayed = await at.post('/agent/replay', { thread_id: data.thread_id, checkpoint_id })
    expect(replayed.data.output).toBe('Known.')
    expect(model.requests).toEqual([])
    expect(at.memory.requests).toEqual([])
  })

  test('a replay makes no model calls', async () => {
    const { data } = await at.post('/agent/execute', buildRequest())
    const points = (await at.get(`/agent/threads/${data.thread_id}/checkpoints`)).data.items
    model.script({ say: ['Something else.'] })
    const { checkpoint_id } = points.find(({ node }: any) => node === 'start')
    const replayed = await at.post('/agent/replay', { thread_id: data.thread_id, checkpoint_id })
    expect(replayed.data.output).toBe(data.output)
    expect(model.requests).toEqual([])
  })
})

test('an unreachable model degrades health and runs still complete', async () => {
  const health = async (at: EngineStage) =>
    JSON.parse((await at.call('GET', '/api/v1/internal/actuator/health')).text)
  expect(await health(at)).toMatchObject({ status: 'UP', components: { model: { status: 'UP' } } })
  const env = { AI_BASE_URL: 'http://127.0.0.1:9/v1', AI_MODEL: 'gone' }
  const without = await stageEngine({ env })
  expect(await health(without)).toMatchObject({
    status: 'DEGRADED',
    components: { db: { status: 'UP' }, model: { status: 'DOWN' } },
  })
  expect((await without.post('/agent/execute', buildRequest())).data.status).toBe('completed')
  await without.close()
})

describe('a long run', () => {
  const slow = { say: Array.from({ length: 40 }, (_, n) => `${n} `), betweenMs: 50 }

  /** Reads a stream until its first token. */
  async function startStream(body: object) {
    const response = await at.fetch(
      new Request(`http://test${ai}/agent/execute/stream`, {
        method: 'POST',
        headers: {
          'x-internal-api-key': key,
          'x-organization-id': 'acme',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      }),
    )
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('"token"')) text += (await reader.read()).value ?? ''
    return { text, reader }
  }

  test('a long run blocks its thread and can be followed from the last received event', async () => {
    model.script(slow)
    const request = buildRequest()
    const { reader, text } = await startStream(request)
    expect(await at.post('/agent/execute', request)).toMatchObject({
      status: 409,
      code: 'TURN_IN_PROGRESS',
    })
    const thread_id = `consultation:${request.session_id}`
    const [{ run_id }] = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
    const received = parseNdjson(text.slice(0, text.lastIndexOf('\n')))
    const rest = parseNdjson(
      (await at.get(`/agent/runs/${run_id}/stream?after=${received.length}`)).text,
    )
    let full = text
    for (let part = await reader.read(); !part.done; part = await reader.read()) full += part.value
    expect([...received, ...rest]).toEqual(parseNdjson(full))
    expect(rest.at(-1)!.event).toBe('end')
  })

  test('a run continues after its client disconnects and its events can be read later', async () => {
    model.script(slow)
    const request = buildRequest()
    const { reader } = await startStream(request)
    await reader.cancel()
    const status = async () => {
      // On runtimes without background work, a tick takes over the run.
      await at.tick()
      const { items } = (await at.get(`/timeline?session_id=${request.session_id}`)).data
      return items[0].status
    }
    await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe('completed')
    const [{ run_id, output }] = (await at.get(`/timeline?session_id=${request.session_id}`)).data
      .items
    const events = parseNdjson((await at.get(`/agent/runs/${run_id}/stream`)).text)
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, index) => index + 1))
    expect(tokenTexts(events).join('')).toBe(output)
  })

  test.each([
    ['CANCELLED', {}],
    ['STOPPED', { reason: 'stopped' }],
  ])(
    'a run that ends as %s keeps the text it emitted and its thread accepts the next turn',
    async (code, reason) => {
      model.script(slow)
      const request = buildRequest()
      const { reader, text: begin } = await startStream(request)
      const thread_id = `consultation:${request.session_id}`
      const cancelled = await at.post('/agent/cancel', { thread_id, ...reason })
      expect(cancelled.data.cancelled).toBe(true)
      let text = begin
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += part.value
      const events = parseNdjson(text)
      const output = tokenTexts(events).join('')
      expect(output).toMatch(/^0 /)
      expect(events.at(-2)).toMatchObject({ event: 'error', data: { code } })
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'failed', output } })
      const [round] = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
      expect(round).toMatchObject({ status: 'failed', error: { code }, output })
      const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
      expect(state.messages.at(-1)).toEqual({ role: 'assistant', content: output })
      model.script({ say: ['Again.'] })
      expect((await at.post('/agent/execute', request)).data).toMatchObject({
        status: 'completed',
        output: 'Again.',
      })
    },
  )
})
