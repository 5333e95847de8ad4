import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ModelReply,
  type ScriptedModel,
  scriptedModel,
} from '../../../tests/support/scripted-model.ts'
import { type ModelEndpoint, retryDelayMs } from './complete.ts'
import type { ModelRequest } from './model.ts'
import { ModelError } from './model-error.ts'
import { openAiComplete } from './openai.ts'

const key = 'sk-very-secret'
let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

async function callModel(
  turns: ModelReply[],
  options: Partial<ModelEndpoint> = {},
  request: Partial<ModelRequest> = {},
) {
  server.script(...turns)
  let text = ''
  let restarts = 0
  const complete = openAiComplete({
    baseUrl: server.baseUrl,
    apiKey: key,
    model: 'test-model',
    backoffMs: 1,
    ...options,
  })
  const answer = await complete(
    { messages: [{ role: 'user', content: '你好 there' }], ...request },
    {
      signal: AbortSignal.timeout(20_000),
      onText: (words) => {
        text += words
      },
      onRestart: () => {
        text = ''
        restarts++
      },
    },
  ).catch((thrown: unknown) => thrown as ModelError)
  return { answer, said: text, restarts, tries: server.requests.length }
}

test('text is streamed as it arrives and token counts are those of the server', async () => {
  const { answer, said: text } = await callModel([{ say: ['Hel', 'lo ', '世', '界'] }])
  expect(text).toBe('Hello 世界')
  expect(answer).toEqual({
    text: 'Hello 世界',
    tool_calls: [],
    model: 'test-model',
    input_tokens: 11,
    output_tokens: 7,
    finish: 'stop',
  })
  expect(server.headers[0]?.authorization).toBe(`Bearer ${key}`)
  expect(server.requests[0]).toMatchObject({
    model: 'test-model',
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('missing token counts are estimated and marked as estimated', async () => {
  const uncounted = await callModel([{ say: '十个汉字十个汉字十个', usage: null }])
  expect(uncounted.answer).toMatchObject({ estimated: true, output_tokens: 10 })
  const absurd = await callModel([
    { say: 'x', usage: { prompt_tokens: -5, completion_tokens: 'many' } },
  ])
  expect(absurd.answer).toMatchObject({ estimated: true })
})

test('a tool call is assembled from its deltas', async () => {
  const call = [
    { name: 'recall_memory', arguments: { query: '借款金额是多少' }, id: 'a' },
    { name: 'read_file', arguments: { file_id: 'f' }, id: 'b' },
  ]
  const tools = [{ name: 'recall_memory', description: 'd', parameters: { type: 'object' } }]
  const { answer } = await callModel([{ call }], {}, { tools })
  expect(answer).toMatchObject({
    finish: 'tool_calls',
    tool_calls: [
      { id: 'a', name: 'recall_memory', arguments: '{"query":"借款金额是多少"}' },
      { id: 'b', name: 'read_file', arguments: '{"file_id":"f"}' },
    ],
  })
  expect(server.requests[0].tools).toEqual([{ type: 'function', function: tools[0] }])
})

test('a response without streaming is accepted', async () => {
  const { answer, said: text } = await callModel([{ say: 'all at once', nonStreaming: true }])
  expect(answer).toMatchObject({ text: 'all at once', input_tokens: 11 })
  expect(text).toBe('all at once')
})

test('a disconnected response is retried and its partial text is discarded', async () => {
  const cut = { say: ['lost ', 'words'], disconnectAfter: 1 }
  const { answer, said: text, restarts, tries } = await callModel([cut, cut, { say: ['kept'] }])
  expect(answer).toMatchObject({ text: 'kept' })
  expect({ said: text, restarts, tries }).toEqual({ said: 'kept', restarts: 2, tries: 3 })
})

test('a stream with a finish_reason or [DONE] is complete; with neither it is a retryable error', async () => {
  const piece = 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
  const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}'
  expect((await callModel([{ raw: piece }])).answer).toMatchObject({ retryable: true })
  expect((await callModel([{ raw: `${piece}${end}` }])).answer).toMatchObject({ text: 'x' })
  expect(
    (await callModel([{ raw: `: hello\r\n${piece}data: [DONE]\r\n\r\n` }])).answer,
  ).toMatchObject({
    text: 'x',
  })
})

test.each<[string, ModelReply]>([
  ['is asked too often', { status: 429, headers: { 'retry-after': '0' } }],
  ['has a fault', { status: 503 }],
  ['sends what is no JSON', { raw: 'data: {"choices": [\n\n' }],
  ['sends another shape', { raw: 'data: {"choices": "none"}\n\n' }],
  ['tells of an error in its stream', { raw: 'data: {"error": {"message": "overloaded"}}\n\n' }],
  ['sends a page', { raw: '<html>bad gateway</html>' }],
])('a server that %s is retried up to three attempts', async (_, turn) => {
  const recovered = await callModel([turn, { say: 'ok' }])
  expect(recovered).toMatchObject({ answer: { text: 'ok' }, tries: 2, restarts: 0 })
  const lost = await callModel([turn])
  expect(lost.answer).toBeInstanceOf(ModelError)
  expect(lost.tries).toBe(3)
})

test.each([400, 401, 404, 302])(
  'status %i is not retried and its body is not in the error',
  async (status) => {
    const headers = status === 302 ? { location: 'http://127.0.0.1:1/elsewhere' } : {}
    const { answer, tries } = await callModel([
      { status, headers, raw: `bad ${key} at http://internal` },
    ])
    expect(tries).toBe(1)
    expect(answer).toBeInstanceOf(ModelError)
    expect(answer).toMatchObject({ retryable: false })
    const all = JSON.stringify([String(answer), answer, (answer as ModelError).cause])
    expect(all).not.toContain(key)
    expect(all).not.toContain('http')
  },
)

test('the error for an unreachable server does not contain its address', async () => {
  const { answer } = await callModel([{}], { baseUrl: 'http://127.0.0.1:1/v1' })
  expect(answer).toMatchObject({ name: 'ModelError', retryable: true })
  expect(String(answer)).not.toContain('127.0.0.1')
})

test('a response without activity times out and is retried', async () => {
  const silent = { say: ['a', 'b'], stallAfter: 1 }
  const { answer, restarts, tries } = await callModel([silent, { say: 'ok' }], { silenceMs: 150 })
  expect(answer).toMatchObject({ text: 'ok' })
  expect({ restarts, tries }).toEqual({ restarts: 1, tries: 2 })
})

test('a slow response with activity is read to its end', async () => {
  const say = Array.from({ length: 6 }, (_, at) => `w${at} `)
  const { answer, tries } = await callModel([{ say, betweenMs: 60 }], { silenceMs: 300 })
  expect(answer).toMatchObject({ text: say.join('') })
  expect(tries).toBe(1)
})

test.each<[string, ModelReply]>([
  ['a line without end', { endless: 'x'.repeat(65_536) }],
  [
    'words without end',
    { endless: `data: {"choices":[{"delta":{"content":"${'y'.repeat(50_000)}"}}]}\n\n` },
  ],
  ['comments without end', { endless: `${': '.padEnd(60_000, 'z')}\n\n` }],
  [
    'arguments without end',
    {
      endless: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"${'y'.repeat(50_000)}"}}]}}]}\n\n`,
    },
  ],
])('%s: the call fails without a retry', async (_, turn) => {
  const { answer, tries } = await callModel([turn])
  expect(answer).toMatchObject({ name: 'ModelError', retryable: false })
  expect(tries).toBe(1)
})

test('a response that does not end fails when the time limit of the call is reached', async () => {
  const say = Array.from({ length: 10_000 }, () => '.')
  const { answer } = await callModel([{ say, betweenMs: 20 }], { timeoutMs: 300 })
  expect(answer).toMatchObject({ retryable: false, message: 'The model exceeded its time limit.' })
})

test('an aborted call emits nothing more and rejects with the reason of the abort', async () => {
  server.script({ say: ['a', 'b', 'c'], betweenMs: 100 })
  const stop = new AbortController()
  const reason = new Error('cancelled')
  const complete = openAiComplete({ baseUrl: server.baseUrl, model: 'm' })
  const completion = complete(
    { messages: [] },
    { signal: stop.signal, onText: () => stop.abort(reason) },
  )
  await expect(completion).rejects.toBe(reason)
  expect(server.requests).toHaveLength(1)
})

test('a character split across chunks is emitted whole and NUL is dropped', async () => {
  const { answer, said: text } = await callModel([{ say: ['a\ud83d', '\ude00b', '\0', 'c\ud83d'] }])
  expect(answer).toMatchObject({ text: 'a😀bc' })
  expect(text).toBe('a😀bc')
})

test('the retry delay is Retry-After up to ten seconds, else exponential', () => {
  expect(retryDelayMs({ retryAfterMs: 4_000 }, 1, 1)).toBe(4_000)
  expect(retryDelayMs({ retryAfterMs: 3_600_000 }, 1, 1)).toBe(10_000)
  const pauses = [1, 2, 3].map((attempt) => retryDelayMs({ retryAfterMs: undefined }, attempt, 100))
  pauses.forEach((pause, at) => {
    expect(pause).toBeGreaterThanOrEqual(50 * 2 ** at)
    expect(pause).toBeLessThanOrEqual(150 * 2 ** at)
  })
})

test('a structured output request contains the schema', async () => {
  const schema = { name: 'thing', schema: { type: 'object' } }
  await callModel([{ json: {} }], {}, { schema })
  expect(server.requests[0].response_format).toEqual({ type: 'json_schema', json_schema: schema })
})
