import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, parseNdjson, stageEngine } from '../../tests/support/engine.ts'
import { makeSkillFolder } from '../../tests/support/skill-folder.ts'

const { directory, skill, remove } = makeSkillFolder()
afterAll(remove)

const confirm = (field_key: string) => `{
  action: 'ask_user', review_type: 'confirm', title: 'Send it?', basis: { amount: 100 },
  questions: [{ question: 'Send it?', field_key: '${field_key}', input_type: 'boolean', required: true }] }`

skill('failing', `async run() { throw new Error('password=hunter2 of the database') }`)
skill('wordy', `async run({ emitText }) { emitText('Once. '); return { output: { note: 1 } } }`)
skill(
  'strange',
  `async run() { return { output: { note: 'n', work: { chat: 'done' }, round: {} } } }`,
)
skill(
  'outside',
  `async run() { return { output: { note: '' }, control: ${confirm('matter.status')} } }`,
)
skill(
  'proto',
  `async run() { return { output: { note: '' }, control: ${confirm('proto.__proto__.x')} } }`,
)
skill(
  'paying',
  `async run({ answered, state }) {
    if (!answered) return { output: { note: 'asked' }, control: ${confirm('paying.yes')} }
    return { output: { note: 'paid ' + answered.basis.amount + ' ' + state.yes } }
  }`,
)
skill(
  'twice',
  `async run({ state }) {
    const ask = (name) => ({ action: 'ask_user', title: name, questions: [
      { question: name, field_key: 'twice.' + name, input_type: 'text', required: true }] })
    globalThis.worked = (globalThis.worked ?? 0) + (state.note === undefined ? 1 : 0)
    if (state.first === undefined) return { output: { note: 'begun' }, control: ask('first') }
    if (state.second === undefined) return { output: { note: 'half' }, control: ask('second') }
    return { output: { note: state.first + state.second } }
  }`,
)
skill('endless', `run: () => new Promise(() => {})`)
skill('hidden', `async run() { return { output: { note: '' } } }`, 'internal: true\n')
skill('callable', `async run() { return { output: { note: 'called' } } }`, 'api_call_only: true\n')

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({
    env: { SKILLS_DIR: directory, ENGINE_STEP_TIMEOUT_MS: '1500', ENGINE_RETRIES: '1' },
  })
})
afterAll(() => at.close())

const runs = (name: string, more: object = {}) =>
  at.post(`/skills/${name}/execute`, { message: 'go', user_id: 1, ...more })

describe('a skill that fails', () => {
  test('a failing skill ends the run as failed with a reason without secrets in stream, timeline and trace', async () => {
    const body = { session_id: 's', message: 'go', skill: 'failing', skill_only: true }
    const { text } = await at.post('/agent/execute/stream', body)
    const events = parseNdjson(text)
    expect(events.map(({ event }) => event)).toEqual(['task_start', 'task_end', 'error', 'end'])
    expect(events[1]!.data.status).toBe('failed')
    expect(events.at(-1)!.data.status).toBe('failed')
    const [round] = (await at.get('/timeline?session_id=s')).data.items
    expect(round).toMatchObject({ status: 'failed', error: { code: 'SKILL_FAILED' } })
    const trace = await at.get(`/traces/${round.trace_id}`)
    const failed = trace.data.spans.filter(({ status }: any) => status === 'error')
    expect(failed.map(({ name }: any) => name)).toContain('failing')
    expect(text + trace.text).not.toContain('hunter2')
    const again = await at.post('/agent/execute', { session_id: 's', message: '你好' })
    expect(again.data.status).toBe('completed')
  })

  test('a failing skill is retried a limited number of times', async () => {
    const { data } = await runs('failing')
    const { spans } = (await at.get(`/traces/${data.trace_id}`)).data
    const tries = spans.filter(({ name, kind }: any) => name === 'failing' && kind === 'skill')
    expect(tries).toHaveLength(2)
  })

  test('a skill that never returns fails when its timeout is reached', async () => {
    const { data } = await runs('endless')
    expect(data.status).toBe('failed')
    const [round] = (await at.get(`/timeline?thread_id=${data.thread_id}`)).data.items
    expect(round.error.code).toBe('STEP_TIMEOUT')
  })
})

describe('skill output', () => {
  test('output that does not match the schema of the skill fails the run', async () => {
    expect((await runs('wordy')).data.status).toBe('failed')
  })

  test('output is stored in the state of its own skill only', async () => {
    const { data } = await runs('strange')
    const { state } = (await at.get(`/agent/threads/${data.thread_id}/state`)).data
    expect(state.strange).toEqual({ note: 'n' })
    expect(state.work).toEqual({ strange: 'done' })
  })

  test.each(['outside', 'proto'])(
    'a card that writes outside the state of its skill fails the run: %s',
    async (name) => {
      const { data } = await runs(name)
      expect(data).toMatchObject({ status: 'failed', card: null })
      const [round] = (await at.get(`/timeline?thread_id=${data.thread_id}`)).data.items
      expect(round.error.code).toBe('SKILL_CARD')
    },
  )
})

describe('a confirmed action', () => {
  const answer = (value: boolean) => ({ answers: [{ field_key: 'paying.yes', value }] })

  test('a confirmed action runs on the data shown to the person', async () => {
    const { data } = await runs('paying')
    const { thread_id } = data
    const resumed = await at.post('/agent/resume', { thread_id, user_response: answer(true) })
    expect(resumed.data.result.outputs.paying).toEqual({ yes: true, note: 'paid 100 true' })
  })

  test('a confirmed action does not run if its basis changed after it was shown', async () => {
    const { data } = await runs('paying')
    const { thread_id, card } = data
    await at.sql`update ai_engine.cards set basis = '{"amount": 1000000}' where card_id = ${card.card_id}`
    const resumed = await at.post('/agent/resume', { thread_id, user_response: answer(true) })
    expect(resumed.status).toBe(409)
    expect((await at.get(`/timeline?thread_id=${thread_id}`)).data.total).toBe(1)
  })
})

test('a skill with two cards gets both answers and does its first work once', async () => {
  const { data } = await runs('twice')
  const { thread_id } = data
  const say = (name: string, value: string) =>
    at.post('/agent/resume', {
      thread_id,
      user_response: { answers: [{ field_key: `twice.${name}`, value }] },
    })
  const half = await say('first', 'one')
  expect(half.data).toMatchObject({ status: 'interrupted', card: { title: 'second' } })
  expect((await say('first', 'one')).status).toBe(400)
  const second = await say('second', 'two')
  expect(second.data.result.outputs.twice).toMatchObject({ note: 'onetwo' })
  expect((globalThis as { worked?: number }).worked).toBe(1)
})

test('internal skills are neither listed nor runnable; API-only skills are runnable but not listed', async () => {
  const listed = (await at.get('/skills')).data.skills.map(({ name }: any) => name)
  expect(listed).toContain('paying')
  expect(listed).not.toContain('hidden')
  expect(listed).not.toContain('callable')
  expect((await runs('hidden')).status).toBe(404)
  expect((await runs('callable')).data.result).toEqual({ note: 'called' })
})
