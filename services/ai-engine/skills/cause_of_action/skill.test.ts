import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../../tests/support/scripted-model.ts'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { openAiComplete } from '../../model/openai.ts'
import skill from './skill.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const thread = (withModel = false, state = {}) =>
  makeSkillThread('cause_of_action', skill, {
    tools: seedCauseTools(),
    state,
    complete: withModel
      ? openAiComplete({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1 })
      : undefined,
  })

const loan = '我在2023年5月1日借给张三10万元，约定一年后归还，到期后他一直不还。'

test.each([
  [loan, 'private_lending'],
  ['公司昨天口头把我辞退了，我在那里干了三年，没有给任何补偿。', 'labor_dispute'],
  ['房东不退我的押金，租约上个月到期，房子已经交还。', 'lease_contract'],
  ['I lent my friend Tom 50,000 yuan last year and he refuses to pay me back.', 'private_lending'],
])('%s gives %s first, with passages of the story as reasons', async (story, code) => {
  const { output } = await thread().say(story)
  expect(output.candidates[0]).toMatchObject({ code })
  expect(output.confident).toBe(true)
  for (const { score, reasons } of output.candidates) {
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
    expect(reasons.length).toBeGreaterThan(0)
    for (const { quote, why } of reasons) {
      expect(story).toContain(quote)
      expect(why).not.toBe('')
    }
  }
  const scores = output.candidates.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
})

test.each(['今天天气不错', '我弟弟涉嫌诈骗被刑事拘留了', '请帮我审查一份采购合同', ''])(
  'a text without a civil cause has no candidates: %s',
  async (text) => {
    const { output } = await thread().say(text)
    expect(output).toMatchObject({ candidates: [], confident: false })
  },
)

test('the name of a cause and its reasons are in the language of the person', async () => {
  const { output } = await thread().say('My employer fired me without notice and owes me wages.')
  expect(output.candidates[0].name).toBe('Labor dispute')
  expect(output.candidates[0].reasons[0].why).toMatch(/^“.*” is typical of/)
})

test('a cause that the person chose is first and confident', async () => {
  const intake_collection = {
    cause_of_action_code: 'unjust_enrichment',
    found_by: { cause_of_action_code: 'answer' },
  }
  const story = '我转账转错了，5万元打到别人账户，对方说是我欠他的借款，不退。'
  const { output } = await thread(false, { intake_collection }).say(story)
  expect(output.candidates[0].code).toBe('unjust_enrichment')
  expect(output.confident).toBe(true)
})

test('a candidate of the model counts only with a passage that occurs in the story', async () => {
  server.script({
    json: {
      candidates: [
        { code: 'divorce', score: 1, why: '要离婚。', quotes: ['他们已经分居两年'] },
        { code: 'private_lending', score: 0.9, why: '出借款项。', quotes: ['借给张三10万元'] },
      ],
    },
  })
  const { output } = await thread(true).say(loan)
  expect(output.made_by).toBe('model')
  expect(output.candidates[0]).toMatchObject({
    code: 'private_lending',
    reasons: [{ quote: '借给张三10万元', why: '出借款项。' }],
  })
  expect(output.candidates.map(({ code }: { code: string }) => code)).not.toContain('divorce')
})

test('a reply of the model that does not match the schema leaves the ranking of the rules', async () => {
  server.script({ json: { candidates: [{ code: 'piracy', score: 7 }] } })
  const { output } = await thread(true).say(loan)
  expect(output).toMatchObject({ made_by: 'rules', confident: true })
  expect(output.candidates[0].code).toBe('private_lending')
})
