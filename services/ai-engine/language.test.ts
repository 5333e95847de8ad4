import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, parseNdjson, stageEngine } from '../../tests/support/engine.ts'
import { makeSkillFolder } from '../../tests/support/skill-folder.ts'

const { directory, skill, remove } = makeSkillFolder()
afterAll(remove)
skill('broken', `async run() { throw new Error('secret') }`, 'title_zh: 坏掉的技能\n')
skill(
  'restarting',
  `async run({ emitText }) {
    globalThis.restarts = (globalThis.restarts ?? 0) + 1
    emitText(globalThis.restarts % 2 ? 'first words' : 'other words')
    if (globalThis.restarts % 2) throw new Error('once more')
    return { output: { note: 'done' } }
  }`,
)

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({ env: { SKILLS_DIR: directory, ENGINE_RETRIES: '1' } })
})
afterAll(() => at.close())

let threads = 0
async function runSkill(name: string, message: string) {
  const thread_id = `language:${++threads}`
  const body = { thread_id, user_id: 1, message, skill: name, skill_only: true }
  const { text } = await at.post('/agent/execute/stream', body)
  return { thread_id, events: parseNdjson(text) }
}
const find = (events: ReturnType<typeof parseNdjson>, name: string) =>
  events.find(({ event }) => event === name)!.data

describe.each([
  ['Chinese', '请帮我处理这个案子', '坏掉的技能', /^这项工作未能完成/, '回答中断，重新开始。'],
  [
    'English',
    'Please work on my case',
    'broken',
    /^[A-Z][\x20-\x7e]+$/,
    'The answer was interrupted and starts again.',
  ],
])('for a person who writes %s', (_, message, title, error, restarted) => {
  test('titles and errors are in that language', async () => {
    const { thread_id, events } = await runSkill('broken', message)
    expect(find(events, 'task_start').title).toBe(title)
    expect(find(events, 'error')).toMatchObject({ code: 'SKILL_FAILED' })
    expect(find(events, 'error').message).toMatch(error)
    const [stored] = await at.sql`
      select error->>'message' as message from ai_engine.runs where thread_id = ${thread_id}`
    expect(stored!.message).toMatch(error)
  })

  test('the progress of a restarted reply is in that language', async () => {
    const { events } = await runSkill('restarting', message)
    expect(find(events, 'progress')).toMatchObject({ message: restarted, restarted: true })
  })
})

test('a message without letters keeps the language of the thread', async () => {
  const { thread_id } = await runSkill('broken', 'Please work on my case')
  const body = { thread_id, user_id: 1, message: '12345', skill: 'broken', skill_only: true }
  const events = parseNdjson((await at.post('/agent/execute/stream', body)).text)
  expect(find(events, 'task_start').title).toBe('broken')
})
