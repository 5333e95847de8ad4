import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../tests/support/scripted-model.ts'
import type { ModelRequest } from './model.ts'
import { openModel, type Provider, providers } from './open-model.ts'

/** Sessions in the wire format of each provider, written after its public documentation. */
const session = (name: string) => ({
  raw: readFileSync(`tests/fixtures/model-sessions/${name}.sse`, 'utf8'),
})

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const signal = new AbortController().signal
const callModel = async (provider: Provider, request: ModelRequest) => {
  let said = ''
  const primary = { provider, baseUrl: server.baseUrl, apiKey: 'k', model: 'm', backoffMs: 1 }
  const limits = { contextTokens: 64_000, visionModels: ['m'] }
  const model = openModel({ primary, fallback: null, skillModels: {}, ...limits })
  const answer = await model.completeFor('chat')(request, {
    signal,
    onText: (text) => {
      said += text
    },
  })
  return { answer, said }
}

const tools = ['search_law', 'recall_memory'].map((name) => ({
  name,
  description: 'd',
  parameters: { type: 'object', properties: { query: { type: 'string' } } },
}))
const question: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: '诉讼时效是多久？' },
  ],
}

const imageQuestion: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: '这张借条写了什么？',
      images: [
        { file_id: 'f-1', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        { file_id: 'f-2', media_type: 'image/png' },
      ],
    },
  ],
}

describe.each(providers)('the provider %s', (provider) => {
  test('gets a loaded image in its own format, and no image that could not be read', async () => {
    server.script(session(`${provider}-text`))
    await callModel(provider, imageQuestion)
    const { messages, contents } = server.requests[0]
    const format = readFileSync(`tests/fixtures/model-sessions/${provider}-image.json`, 'utf8')
    expect(messages ?? contents).toEqual(JSON.parse(format))
  })

  test('is asked again without images if it refuses them', async () => {
    server.script(
      { status: 400, raw: '{"error":{"message":"This model does not support image input."}}' },
      session(`${provider}-text`),
    )
    expect((await callModel(provider, imageQuestion)).said).toBe('三年。')
    expect(JSON.stringify(server.requests[0])).toContain('iVBORw0KGgo=')
    expect(JSON.stringify(server.requests[1])).not.toContain('iVBORw0KGgo=')
  })

  test('streams text without thinking, and counts cached tokens', async () => {
    server.script(session(`${provider}-text`))
    const { answer, said } = await callModel(provider, question)
    expect(said).toBe('三年。')
    expect(answer).toMatchObject({
      text: '三年。',
      finish: 'stop',
      input_tokens: 125,
      output_tokens: 15,
      cached_tokens: 100,
    })
    expect(JSON.stringify(answer)).not.toMatch(/three|asks about/)
  })

  test('gets parallel tool calls and sends their results back in its own format', async () => {
    server.script(session(`${provider}-tools`))
    const { answer } = await callModel(provider, { ...question, tools })
    expect(answer.finish).toBe('tool_calls')
    expect(answer.tool_calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['search_law', { query: '诉讼时效' }],
      ['recall_memory', { query: 'loan' }],
    ])
    expect(JSON.stringify(server.requests[0].tools)).toContain('recall_memory')

    server.script(session(`${provider}-text`))
    const results = answer.tool_calls.map(({ id, name }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `result of ${name}`,
    }))
    const assistant = { role: 'assistant' as const, content: answer.text }
    const messages = [
      ...question.messages,
      { ...assistant, tool_calls: answer.tool_calls },
      ...results,
    ]
    expect((await callModel(provider, { messages, tools })).said).toBe('三年。')
    const sent = JSON.stringify(server.requests[0])
    expect(sent).toContain('result of search_law')
    expect(sent).toContain('result of recall_memory')
  })
})

test('every provider gets its address, its key and its request', async () => {
  const shapes: Record<Provider, [string, string, (body: any) => unknown]> = {
    openai: ['/v1/chat/completions', 'authorization', (body) => body.messages[1].content],
    azure: [
      '/v1/openai/deployments/m/chat/completions?api-version=2024-10-21',
      'api-key',
      (body) => body.messages[1].content,
    ],
    anthropic: ['/v1/messages', 'x-api-key', (body) => body.messages[0].content[0].text],
    google: [
      '/v1/models/m:streamGenerateContent?alt=sse',
      'x-goog-api-key',
      (body) => body.contents[0].parts[0].text,
    ],
  }
  for (const provider of providers) {
    server.script(session(`${provider}-text`))
    await callModel(provider, question)
    const [url, header, content] = shapes[provider]
    expect(server.urls).toEqual([url])
    expect(server.headers[0]?.[header]).toMatch(/k$/)
    expect(content(server.requests[0])).toBe('诉讼时效是多久？')
  }
})

test('an error in the stream of a provider is retried', async () => {
  const overloaded = {
    raw: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  }
  server.script(overloaded, session('anthropic-text'))
  expect((await callModel('anthropic', question)).said).toBe('三年。')
})

test('cached tokens are counted in the field of DeepSeek too', async () => {
  const usage = { prompt_tokens: 125, completion_tokens: 15, prompt_cache_hit_tokens: 64 }
  server.script({ say: '三年。', usage })
  expect((await callModel('openai', question)).answer.cached_tokens).toBe(64)
})

describe('the provider anthropic', () => {
  const called: ModelRequest = {
    messages: [
      ...question.messages,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c-1', name: 'search_law', arguments: '{}' }],
      },
      { role: 'tool', tool_call_id: 'c-1', content: 'none' },
    ],
  }

  test('gets the tools of a conversation also where it may not call any', async () => {
    server.script(session('anthropic-text'))
    await callModel('anthropic', called)
    expect(server.requests[0]).toMatchObject({
      tools: [{ name: 'search_law' }],
      tool_choice: { type: 'none' },
    })
  })

  test('is asked again without a temperature if it refuses it', async () => {
    server.script(
      { status: 400, raw: '{"error":{"message":"temperature is deprecated for this model."}}' },
      session('anthropic-text'),
    )
    await callModel('anthropic', { ...question, temperature: 0 })
    expect(server.requests.map(({ temperature }) => temperature)).toEqual([0, undefined])
  })

  test('may report counts of tokens that cannot be true; they are estimated', async () => {
    const { raw } = session('anthropic-text')
    server.script({
      raw: raw.replaceAll(/"(input|output)_tokens":\s*\d+/g, '"$1_tokens":3000000000'),
    })
    const { answer, said } = await callModel('anthropic', question)
    expect(said).toBe('三年。')
    expect(answer.estimated).toBe(true)
    expect(answer.input_tokens).toBeLessThan(1_000)
  })
})

test('calls with one index for all, or with repeated names, are told apart by their ids', async () => {
  const part = (id: string | undefined, name: string | undefined, input: string) => {
    const call = { index: 0, id, function: { name, arguments: input } }
    return `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`
  }
  const finish = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
  const parts = [
    part('a', 'search_law', '{"query":'),
    part(undefined, 'search_law', '"x"}'),
    part('b', 'recall_memory', '{"query":'),
    part('b', undefined, '"y"}'),
  ]
  server.script({ raw: parts.join('') + finish })
  const { answer } = await callModel('openai', { ...question, tools })
  expect(answer.tool_calls).toEqual([
    { id: 'a', name: 'search_law', arguments: '{"query":"x"}' },
    { id: 'b', name: 'recall_memory', arguments: '{"query":"y"}' },
  ])
})
