import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { parseNdjson, stageEngine } from '../../../tests/support/engine.ts'
import { startLlm } from '../../../tests/support/llm.ts'
import { makeSkillThread } from '../../../tests/support/skill.ts'
import { makeSkillFolder } from '../../../tests/support/skill-folder.ts'
import chat from '../skills/chat/skill.ts'
import intake from '../skills/intake_collection/skill.ts'
import { makeModel } from './make-model.ts'
import { openAiComplete } from './openai.ts'

/** A real server, to test the protocol. The text of so small a model is not checked. */
const llm = await startLlm()
if (typeof llm === 'string') console.log(`Skipped: ${llm}`)
const { baseUrl, model } = typeof llm === 'string' ? { baseUrl: '', model: '' } : llm
const real = test.skipIf(typeof llm === 'string')
afterAll(() => {
  if (typeof llm !== 'string') llm.stop()
})

const complete = openAiComplete({ baseUrl, model })
const { signal } = new AbortController()

real('a real server streams text and reports token counts', async () => {
  const texts: string[] = []
  const answer = await complete(
    { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 24, temperature: 0 },
    { signal, onText: (words) => texts.push(words) },
  )
  expect(texts.length).toBeGreaterThan(1)
  expect(answer.text).toBe(texts.join(''))
  expect(answer.input_tokens).toBeGreaterThan(0)
  expect(answer.output_tokens).toBeGreaterThan(1)
  expect(answer.estimated).toBeUndefined()
  expect(['stop', 'length']).toContain(answer.finish)
})

real('a real server returns structured output that matches its schema', async () => {
  const Loan = z.object({
    kind: z.enum(['loan', 'lease']),
    amount: z.number().nullable(),
    repaid: z.boolean(),
  })
  const object = await makeModel(complete, { signal }).object(Loan, {
    name: 'loan',
    system: 'You note what a text says, as JSON.',
    prompt: 'I lent Bob 500 yuan and he has not paid it back.',
  })
  expect(Loan.parse(object)).toEqual(object)
})

real('a request that a real server rejects fails with a ModelError', async () => {
  const unusable = { name: 'x', schema: { type: 'no-such-type' } }
  const completion = complete(
    { messages: [{ role: 'user', content: 'Hi' }], schema: unusable },
    { signal },
  )
  await expect(completion).rejects.toMatchObject({ name: 'ModelError' })
})

real('an aborted call to a real server rejects with the reason of the abort', async () => {
  const stop = new AbortController()
  const completion = complete(
    { messages: [{ role: 'user', content: 'Count to one thousand.' }] },
    { signal: stop.signal, onText: () => stop.abort(new Error('enough')) },
  )
  await expect(completion).rejects.toThrow('enough')
})

real('intake and chat complete with the text of a real server', async () => {
  const intakeReply = await makeSkillThread('intake_collection', intake, { complete }).say(
    '我在2024年3月5日借给张三10万元，有借条，他一直不还。我想要回借款。',
  )
  expect(intakeReply.output).toMatchObject({ amount: 100_000, event_date: '2024-03-05' })
  const trial = makeSkillThread('chat', chat, {
    complete: (request, callbacks) => complete({ ...request, max_tokens: 40 }, callbacks),
  })
  const { output, reply } = await trial.say('What is a loan?')
  expect(output.answered_by).toBe('model')
  expect(trial.said.join('')).toBe(reply)
})

real('a run streams the text of a real server, stores it and records its tokens', async () => {
  const { directory, skill, remove } = makeSkillFolder()
  skill(
    'greet',
    `async run({ inputs, model, emitText, discardText }) {
      const messages = [{ role: 'user', content: inputs.message }]
      const system = 'Answer with one short sentence.'
      const reply = await model.chat({ system, messages, onText: emitText, onRestart: discardText })
      return { output: { note: reply } }
    }`,
  )
  // A loaded machine may take long for the first word.
  const patience = { AI_SILENCE_SECONDS: '110' }
  const env = { AI_BASE_URL: baseUrl, AI_MODEL: model, SKILLS_DIR: directory, ...patience }
  const at = await stageEngine({ env })
  const body = { session_id: 's', message: 'Say hello.', skill: 'greet', skill_only: true }
  const events = parseNdjson((await at.post('/agent/execute/stream', body)).text)
  const tokens = events.filter(({ event, data }) => event === 'token' && data.node === 'run_skill')
  expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
  const { state } = (await at.get('/agent/threads/consultation:s/state')).data
  expect(state.greet.note).not.toBe('')
  expect(tokens.map(({ data }) => data.content).join('')).toBe(state.greet.note)
  const { items } = (await at.get('/usage')).data
  expect(items).toMatchObject([{ skill: 'greet', model }])
  expect(items[0].input_tokens).toBeGreaterThan(0)
  expect(items[0].output_tokens).toBeGreaterThan(0)
  expect(items[0].cached_tokens).toBeLessThanOrEqual(items[0].input_tokens)
  await at.close()
  remove()
})
