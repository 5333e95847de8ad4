import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'
import { makePeer } from '../../tests/support/matter.ts'
import { type ScriptedModel, scriptedModel } from '../../tests/support/scripted-model.ts'

/** Text of which a cut after `length` characters leaves half of an emoji. */
const cutAt = (length: number) => `${'字'.repeat(length - 1)}😀。`

const knowledge = makePeer(({ path }) =>
  path.endsWith('-search')
    ? {
        hits: [
          {
            ...{ kb_id: 'k', document_id: 'd', section_id: null, score: 1 },
            title: '诉讼时效',
            content: cutAt(300),
          },
        ],
      }
    : { items: [], total: 0, page: 1, size: 200, total_pages: 0 },
)
const files = makePeer(({ path }) =>
  path.endsWith('/text')
    ? { text: `\ud83d and \0 ${cutAt(12_000)}`, pages: 1, language: 'zh', truncated: false }
    : undefined,
)
const peers = { 'knowledge-service': knowledge.peer, 'files-service': files.peer }

let at: EngineStage
let model: ScriptedModel
beforeAll(async () => {
  model = await scriptedModel()
  at = await stageEngine({ env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'scripted' }, peers })
})
afterAll(async () => {
  await at.close()
  await model.close()
})

const execute = async (stage: EngineStage, body: object) =>
  (await stage.post('/agent/execute', body)).data

test('a reply that was cut within a character completes and is stored as it was sent', async () => {
  const byRules = await stageEngine({ peers })
  const body = { session_id: 'cut', user_id: 'u', message: '什么是诉讼时效？' }
  const { run_id, thread_id, status, output } = await execute(byRules, body)
  expect([status, output.isWellFormed()]).toEqual(['completed', true])
  expect(output).toContain('字'.repeat(299))
  const { text } = await byRules.get(`/agent/runs/${run_id}/stream`)
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => data.content)
  expect(tokens.join('')).toBe(output)
  const { state } = (await byRules.get(`/agent/threads/${thread_id}/state`)).data
  expect(state.chat.reply).toBe(output)
  await byRules.close()
})

test('escapes of NUL and of half characters in JSON of a model are removed', async () => {
  model.script(
    { json: { what_happened: '借款\0\ud83d到期不还', aim: '要回\0\ud83d借款' } },
    { say: '好。' },
  )
  const body = { session_id: 'json', user_id: 'u', message: story }
  const { status, thread_id } = await execute(at, body)
  expect(status).toBe('completed')
  const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
  // What happened is told in the words of the person.
  expect(state.intake_collection).toMatchObject({ what_happened: story, aim: '要回\ufffd借款' })
})

test('a file with characters that cannot be stored is read by the model', async () => {
  const call = [{ name: 'read_file', arguments: { file_id: 'f-1' } }]
  model.script({ call, finish: 'tool_calls\0\ud83d' }, { say: '读完了。' })
  const body = { session_id: 'file', user_id: 'u', message: '什么是诉讼时效？', file_ids: ['f-1'] }
  expect(await execute(at, body)).toMatchObject({ status: 'completed', output: '读完了。' })
  const result = model.requests.at(-1).messages.find(({ role }: any) => role === 'tool')
  expect(result.content).toContain('and')
  expect(result.content.isWellFormed()).toBe(true)
})

test('the name of a refused tool that was cut within a character is part of the trace', async () => {
  model.script({ call: [{ name: cutAt(100), arguments: {} }] }, { say: '好。' })
  const body = { session_id: 'tool', user_id: 'u', message: '什么是诉讼时效？' }
  const { status, trace_id } = await execute(at, body)
  expect(status).toBe('completed')
  const { spans } = (await at.get(`/traces/${trace_id}`)).data
  const refused = spans.flatMap(({ attributes }: any) => attributes.refused ?? [])
  expect(refused).toEqual([{ name: `${'字'.repeat(99)}\ufffd`, why: 'unlisted' }])
})
