import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EngineStage, stageEngine } from '../../tests/support/engine.ts'
import { type ScriptedModel, scriptedModel } from '../../tests/support/scripted-model.ts'

let at: EngineStage
let model: ScriptedModel
let fallback: ScriptedModel
beforeAll(async () => {
  model = await scriptedModel()
  fallback = await scriptedModel()
  at = await stageEngine({
    env: {
      AI_BASE_URL: model.baseUrl,
      AI_MODEL: 'scripted',
      AI_FALLBACK_BASE_URL: fallback.baseUrl,
      AI_FALLBACK_MODEL: 'second',
      AI_BUDGET_ORGANIZATION: '200000',
      AI_BUDGET_USER: '100000',
      AI_BUDGET_MATTER: '50000',
    },
  })
})
afterAll(async () => {
  await at.close()
  await Promise.all([model.close(), fallback.close()])
})

/** Every response costs as many tokens as the smallest budget. */
const expensive = { say: '三年。', usage: { prompt_tokens: 50_000, completion_tokens: 10 } }
beforeEach(() => model.script(expensive))

let sessions = 0
const execute = async (request: object, organization = 'acme') => {
  const body = { session_id: `b-${++sessions}`, message: '什么是诉讼时效？', ...request }
  const { data } = await at.post('/agent/execute', body, { 'x-organization-id': organization })
  return data
}
const refused = { status: 'failed', result: null }

test('a call that would exceed the budget of a matter is refused before it is made', async () => {
  const matter = { user_id: 'u-1', matter_id: 'm-1' }
  expect(await execute(matter, 'one')).toMatchObject({ status: 'completed', output: '三年。' })
  const sent = model.requests.length
  expect(await execute({ ...matter, user_id: 'u-2' }, 'one')).toMatchObject(refused)
  expect(model.requests).toHaveLength(sent)
  expect(await execute({ user_id: 'u-2', matter_id: 'm-2' }, 'one')).toMatchObject({
    status: 'completed',
  })
})

test('a refused run names the budget and the thread accepts the next turn', async () => {
  const request = { user_id: 'u-1', matter_id: 'm-1', session_id: 'again' }
  expect(await execute(request, 'two')).toMatchObject({ status: 'completed' })
  const { run_id } = await execute(request, 'two')
  const stream = await at.get(`/agent/runs/${run_id}/stream`, { 'x-organization-id': 'two' })
  expect(stream.text).toContain('"BUDGET_EXCEEDED"')
  expect(
    await execute({ ...request, matter_id: undefined, session_id: 'other' }, 'two'),
  ).toMatchObject({
    status: 'completed',
  })
})

test('the budget of a user counts over matters, that of an organization over users', async () => {
  const spend = (user_id: string) => execute({ user_id }, 'three')
  await spend('u-1')
  await spend('u-1')
  expect(await spend('u-1')).toMatchObject(refused)
  await spend('u-2')
  expect(await spend('u-2')).toMatchObject({ status: 'completed' })
  expect(await spend('u-3')).toMatchObject(refused)
  expect(await execute({ user_id: 'u-3' }, 'four')).toMatchObject({ status: 'completed' })
})

test('the fallback model replaces a model that fails, and the trace names it', async () => {
  model.script({ status: 400 })
  fallback.script({ say: '由备用模型回答。' })
  const { output, trace_id } = await execute({ user_id: 'u-9' }, 'five')
  expect(output).toBe('由备用模型回答。')
  const { data } = await at.get(`/traces/${trace_id}`, { 'x-organization-id': 'five' })
  const span = data.spans.find(({ kind }: { kind: string }) => kind === 'model')
  expect(span.attributes).toMatchObject({ answered_by: 'second' })
})

test('the statistics of use name the budgets and the tokens of this month', async () => {
  await execute({ user_id: 'u-1', matter_id: 'm-1' }, 'stats')
  const read = async (headers = {}) => (await at.get('/usage/stats', headers)).data.budgets
  const limits = { organization: 200_000, user: 100_000, matter: 50_000 }
  expect(await read({ 'x-organization-id': 'stats' })).toEqual({
    ...limits,
    used_this_month: 50_010,
  })
  const all = { 'x-organization-id': '' }
  expect(await read(all)).toEqual({ ...limits, used_this_month: null })
})
