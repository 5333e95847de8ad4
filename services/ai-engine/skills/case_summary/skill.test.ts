import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../../tests/support/scripted-model.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { openAiComplete } from '../../model/openai.ts'
import skill from './skill.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const intake_collection = {
  complete: true,
  language: 'zh',
  cause_of_action_code: 'private_lending',
  client_role: 'claimant',
  opposing_party: '张三',
  amount: 100_000,
  event_date: '2024-03-05',
  aim: '要回借款',
  evidence: ['written_agreement'],
  interest_agreed: null,
  cause_name: { zh: '民间借贷纠纷', en: 'Private lending dispute' },
  open_questions: ['是否约定了利息？'],
}
const thread = (withModel = false, intake: object = intake_collection) =>
  makeSkillThread('case_summary', skill, {
    state: { intake_collection: intake, file_ids: ['f-1', 'f-2'] },
    complete: withModel
      ? openAiComplete({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1 })
      : undefined,
  })
const story = '2024年12月31日他没有还钱。2024年6月1日他还了2万元。'

test('without a model the summary has the collected fields, the messages and a timeline by date', async () => {
  const { output, reply, products, card } = await thread().say(story)
  expect(card).toBeNull()
  expect(output).toMatchObject({ complete: true, made_by: 'rules', language: 'zh' })
  expect(output.summary).toEqual({
    overview: '民间借贷纠纷',
    parties: [
      { role: '当事人', name: '提出请求的一方' },
      { role: '对方', name: '张三' },
    ],
    timeline: [
      { date: '2024-03-05', event: '事情发生的日期', confirmed: true },
      { date: '2024-06-01', event: '2024年6月1日他还了2万元。', confirmed: false },
      { date: '2024-12-31', event: '2024年12月31日他没有还钱。', confirmed: false },
    ],
    amounts: [
      { amount: 100_000, what: '涉及金额（元）', confirmed: true },
      { amount: 20_000, what: '2024年6月1日他还了2万元', confirmed: false },
    ],
    claims: ['要回借款'],
    evidence: ['合同、协议、借条等书面文件', '已上传文件 2 份'],
    elements: [],
    open_questions: ['是否约定了利息？'],
  })
  expect(reply).toContain('案情摘要: 民间借贷纠纷')
  expect(products).toMatchObject({
    data: { work_product: { case_summary: { claims: ['要回借款'], made_by: 'rules' } } },
    phases: [{ phase_id: 'analysis', phase_name: '案情分析', status: 'IN_PROGRESS', order_num: 2 }],
  })
})

test('the summary is in the language of the person', async () => {
  const { reply } = await thread().say('He paid 20,000 yuan back on June 1, 2024. Nothing since.')
  expect(reply).toMatch(/^Case summary: Private lending/)
  expect(reply).toContain('- 2024-06-01 (not confirmed): He paid 20,000 yuan back on June 1, 2024.')
  expect(reply).not.toMatch(/时间线/)
})

test('a summary without material has an empty timeline', async () => {
  const { output } = await thread(false, {}).say('你好')
  expect(output.summary.timeline).toEqual([])
})

const refined = {
  overview: '张三借款十万元，仅还两万元。',
  events: [
    { date: '2024-06-01', event: '张三归还2万元' },
    { date: '2019-09-09', event: '双方相识' },
  ],
  claims: ['返还剩余借款'],
  evidence: [],
  open_questions: ['是否有催告？'],
}

test('dates and amounts that the model adds to the summary are dropped', async () => {
  server.script({ json: { ...refined, amounts: [{ amount: 1, what: 'bribe' }] } })
  const { output } = await thread(true).say(story)
  expect(output).toMatchObject({
    made_by: 'model',
    summary: {
      overview: refined.overview,
      claims: ['返还剩余借款'],
      amounts: [{ amount: 100_000 }, { amount: 20_000 }],
      timeline: [
        { date: '2024-03-05' },
        { date: '2024-06-01', event: '张三归还2万元' },
        { date: '2024-12-31' },
      ],
    },
  })
  expect(output.summary.evidence).toContain('已上传文件 2 份')
  expect(output.summary.open_questions).toEqual(['是否约定了利息？', '是否有催告？'])
})

test('unchanged material causes no second model call', async () => {
  server.script({ json: refined })
  const trial = thread(true)
  const first = await trial.say(story)
  const again = await trial.rerun()
  expect(again.output).toEqual(first.output)
  expect(again.products).toEqual({})
  expect(server.requests).toHaveLength(1)
})

test('a failed model or invalid model output falls back to the rules', async () => {
  server.script({ json: { overview: 5 } })
  expect((await thread(true).say(story)).output.made_by).toBe('rules')
  expect(server.requests).toHaveLength(2)
  server.script({ status: 400 })
  expect((await thread(true).say(story)).output.made_by).toBe('rules')
})

const elements = [
  {
    element_id: 'private_lending.agreement',
    name: '借贷合意',
    name_en: 'Agreement to lend',
    burden_of_proof: 'plaintiff',
    evidence_types: ['借条'],
    legal_basis: [{ law: '民法典', article: '第六百六十七条' }],
  },
]

test('the summary lists the elements to prove with the law of each', async () => {
  const toolInputs: unknown[] = []
  const tools = {
    legal_elements: async (input: unknown) => {
      toolInputs.push(input)
      return { code: 'private_lending', elements }
    },
  }
  const trial = makeSkillThread('case_summary', skill, { state: { intake_collection }, tools })
  const { output, reply, products } = await trial.say(story)
  expect(toolInputs).toEqual([{ cause_of_action_code: 'private_lending' }])
  expect(output.summary.elements).toMatchObject(elements)
  expect(reply).toContain('借贷合意（原告举证）：《民法典》第六百六十七条')
  expect(products).toMatchObject({ data: { work_product: { case_summary: { elements } } } })
})

test('without knowledge-service the summary has no elements; they are added when it is back', async () => {
  let away = true
  const tools = { legal_elements: async () => (away ? { unavailable: true } : { elements }) }
  const trial = makeSkillThread('case_summary', skill, { state: { intake_collection }, tools })
  expect((await trial.say(story)).output.summary.elements).toEqual([])
  away = false
  expect((await trial.say(story)).output.summary.elements).toMatchObject(elements)
})
