import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type ScriptedModel, scriptedModel } from '../../../tests/support/scripted-model.ts'
import { makeModel } from './make-model.ts'
import type { ModelRequest } from './model.ts'
import { openModel, parseSkillModels } from './open-model.ts'
import { estimateInput } from './tokens.ts'
import { trimToContext } from './trim-to-context.ts'

let server: ScriptedModel
let second: ScriptedModel
beforeAll(async () => {
  ;[server, second] = await Promise.all([scriptedModel(), scriptedModel()])
})
afterAll(() => Promise.all([server.close(), second.close()]))

const signal = new AbortController().signal
const open = (more: Partial<Parameters<typeof openModel>[0]> = {}) =>
  openModel({
    primary: { provider: 'openai', baseUrl: server.baseUrl, model: 'first', backoffMs: 1 },
    fallback: null,
    skillModels: {},
    contextTokens: 64_000,
    ...more,
  })
const fallback = () => ({
  provider: 'openai' as const,
  baseUrl: second.baseUrl,
  model: 'second',
  backoffMs: 1,
})
const hello: ModelRequest = { messages: [{ role: 'user', content: 'hello' }] }

test('a skill uses its own model, other skills the default', async () => {
  server.script({ say: 'ok' })
  const model = open({ skillModels: parseSkillModels('case_summary=large, x=small') })
  await model.completeFor('case_summary')(hello, { signal })
  await model.completeFor('chat')(hello, { signal })
  expect(server.requests.map((request) => request.model)).toEqual(['large', 'first'])
  expect(model.nameFor('x')).toBe('small')
})

test('an invalid list of models stops the start', () => {
  expect(() => parseSkillModels('chat')).toThrow('AI_SKILL_MODELS')
})

test('the fallback is used when the model fails, and text of the model is discarded', async () => {
  server.script({ say: ['half ', 'an answer'], disconnectAfter: 1 })
  second.script({ say: 'whole answer' })
  let said = ''
  const answer = await open({ fallback: fallback() }).completeFor('chat')(hello, {
    signal,
    onText: (text) => {
      said += text
    },
    onRestart: () => {
      said = ''
    },
  })
  expect(said).toBe('whole answer')
  expect(answer.model).toBe('second')
})

test('the health check reports a model that works by its fallback only', async () => {
  const primary = { provider: 'openai' as const, baseUrl: 'http://127.0.0.1:1/v1', model: 'm' }
  await expect(open({ primary, fallback: fallback() }).check()).rejects.toThrow('fallback')
  await expect(open({ primary }).check()).rejects.toThrow()
  await expect(open({ fallback: fallback() }).check()).resolves.toBeUndefined()
})

const refuse = (what: string) => ({
  status: 400,
  raw: JSON.stringify({ error: { message: `Unsupported parameter: ${what}`, param: what } }),
})

test('JSON is requested by schema, then as an object, then as text, and the server is remembered', async () => {
  server.script(
    refuse('response_format.json_schema'),
    refuse('response_format'),
    { say: 'Here it is: {"n": 3}' },
    { say: '{"n": 4}' },
  )
  const model = makeModel(open().completeFor('chat'), { signal })
  const request = { name: 'n', system: 'Count.', prompt: 'Now.' }
  const schema = z.object({ n: z.number() })
  expect(await model.object(schema, request)).toEqual({ n: 3 })
  expect(server.requests.map((each) => each.response_format?.type)).toEqual([
    'json_schema',
    'json_object',
    undefined,
  ])
  expect(server.requests[2].messages[0].content).toContain('JSON schema')
})

test.each([
  ['temperature', (body: any) => body.temperature],
  ['stream_options', (body: any) => body.stream_options],
])('a server that refuses %s is asked without it', async (name, read) => {
  server.script(refuse(name), { say: 'ok' })
  const request = { ...hello, temperature: 0 }
  const answer = await open().completeFor('chat')(request, { signal })
  expect(answer.text).toBe('ok')
  expect(server.requests.map((body) => read(body) === undefined)).toEqual([false, true])
})

test('any other refusal is not repeated', async () => {
  server.script(refuse('messages'))
  await expect(open().completeFor('chat')(hello, { signal })).rejects.toThrow('(400)')
  expect(server.requests).toHaveLength(1)
})

const chunk = (content: string, finish: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\ndata: [DONE]\n\n`

test('a reply that is truncated at the token limit is continued without a gap', async () => {
  server.script({ raw: chunk('The peri', 'length') }, { raw: chunk('od is three years.', 'stop') })
  const said: string[] = []
  const model = makeModel(open().completeFor('chat'), { signal })
  const messages = [{ role: 'user' as const, content: '?' }]
  const reply = await model.chat({ system: 's', messages, onText: (text) => said.push(text) })
  expect(reply).toBe('The period is three years.')
  expect(said.join('')).toBe(reply)
  expect(server.requests[1].messages.at(-2)).toMatchObject({ content: 'The peri' })
})

test('a reply that is truncated repeatedly is reported as truncated', async () => {
  server.script({ raw: chunk('more', 'length') })
  const model = makeModel(open().completeFor('chat'), { signal })
  const reply = await model.chat({ system: 's', messages: [{ role: 'user', content: '?' }] })
  expect(reply).toMatch(/^(more){4}\n\n.*cut off/)
})

test('a long conversation is trimmed to the context window, and the facts and the question stay', () => {
  const messages: ModelRequest['messages'] = [
    { role: 'system', content: 'FACTS: 100,000 yuan' },
    ...Array.from({ length: 50 }, (_, at) => ({
      role: at % 2 ? ('assistant' as const) : ('user' as const),
      content: `${at} ${'字'.repeat(200)}`,
    })),
    { role: 'assistant', content: '', tool_calls: [{ id: 'old', name: 't', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'old', content: 'old result' },
    { role: 'user', content: 'the question' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'new', name: 't', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'new', content: 'new result' },
  ]
  const trimmed = trimToContext({ messages }, 2_000).messages
  expect(trimmed[0]?.content).toBe('FACTS: 100,000 yuan')
  expect(trimmed.slice(-3).map(({ content }) => content)).toEqual([
    'the question',
    '',
    'new result',
  ])
  expect(trimmed.length).toBeLessThan(20)
  const tiny = trimToContext({ messages }, 20).messages
  expect(tiny.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
})

test('a model gets images only if it is declared as a vision model', async () => {
  server.script({ status: 503 })
  second.script({ say: 'ok' })
  const images = [{ file_id: 'f-1', media_type: 'image/png', data: 'AAAA' }]
  const request: ModelRequest = { messages: [{ role: 'user', content: 'hello', images }] }
  const model = open({ fallback: fallback(), visionModels: ['second'] })
  expect(model.acceptsImages('chat')).toBe(true)
  await model.completeFor('chat')(request, { signal })
  expect(server.requests[0].messages).toEqual([{ role: 'user', content: 'hello' }])
  expect(second.requests[0].messages[0].content).toMatchObject([
    { type: 'text' },
    { type: 'image_url' },
  ])
  expect(open({ visionModels: ['other'] }).acceptsImages('chat')).toBe(false)
})

test('an image counts in the estimate that is checked against context window and budget', () => {
  const text = { role: 'user' as const, content: 'hello' }
  const image = { file_id: 'f-1', media_type: 'image/png' }
  expect(estimateInput([{ ...text, images: [image, image] }])).toBeGreaterThan(
    estimateInput([text]) + 3_000,
  )
})
