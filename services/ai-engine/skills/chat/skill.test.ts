import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../../tests/support/scripted-model.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { openAiComplete } from '../../model/openai.ts'
import type { Tool } from '../../skill.ts'
import skill from './skill.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const matter = {
  phases: [{ phase_id: 'intake', status: 'IN_PROGRESS' }],
  todos: [
    { todo_key: 'dispatch_lawyer', status: 'OPEN' },
    { todo_key: 'old', status: 'DONE' },
  ],
}
const intake_collection = {
  amount: 100_000,
  aim: '要回借款',
  missing: ['event_date'],
  language: 'zh',
}
const none: Tool = async () => ({ facts: [] })

const thread = (
  options: { recall?: Tool; law?: Record<string, Tool>; state?: object; model?: boolean } = {},
) =>
  makeSkillThread('chat', skill, {
    state: { matter, intake_collection, ...options.state },
    tools: { recall_memory: options.recall ?? none, ...options.law },
    complete: options.model
      ? openAiComplete({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1 })
      : undefined,
  })

test.each([
  ['进展如何了？', ['信息收集: 进行中', '待办: 指派律师', '还需要: 事情发生的日期']],
  [
    'What is the status?',
    ['Intake: in progress', 'To do: Assign a lawyer', 'Still needed: The day it happened'],
  ],
])('without a model “%s” is answered with the status of the matter', async (question, lines) => {
  const { output, reply } = await thread().say(question)
  for (const line of lines) expect(reply).toContain(line)
  expect(reply).not.toContain('old')
  expect(output).toMatchObject({
    answered_by: 'rules',
    sources: [{ kind: 'matter' }, { kind: 'matter' }],
  })
})

test('a question about a collected field is answered with its value and source', async () => {
  const { output, reply } = await thread().say('涉及的金额是多少钱？')
  expect(reply).toContain('涉及金额（元）: 100,000')
  expect(output).toMatchObject({ known: true, sources: [{ kind: 'intake', key: 'amount' }] })
})

test('recalled facts are in the reply, and an unavailable memory is reported', async () => {
  const recall: Tool = async (input) => {
    expect(input).toEqual({ query: '我的律师叫什么名字', top_k: 5 })
    return { facts: [{ entity_key: 'lawyer', content: '律师是王芳', score: 1 }] }
  }
  const { output, reply } = await thread({ recall }).say('我的律师叫什么名字')
  expect(reply).toContain('律师是王芳')
  expect(output).toMatchObject({ known: true, sources: [{ kind: 'memory', key: 'lawyer' }] })
  const away = await thread({ recall: async () => ({ unavailable: true }) }).say('My dog’s name?')
  expect(away.reply).toContain('can not be looked up')
  expect(away.output.known).toBe(false)
})

test.each([
  ['诉讼时效是多久，他是否违约？', /没有配置语言模型/],
  ['Can I sue him, and would I win in court?', /No language model is configured/],
])('rules do not answer a question of law: %s', async (question, words) => {
  const { output, reply } = await thread().say(question)
  expect(reply).toMatch(words)
  expect(reply).not.toMatch(/《|第.{1,5}条|Article \d/)
  expect(output).toMatchObject({ known: false, answered_by: 'rules' })
})

const element = {
  element_id: 'private_lending.agreement',
  name: '借贷合意',
  name_en: 'Agreement to lend',
  burden_of_proof: 'plaintiff',
  evidence_types: ['借条'],
  legal_basis: [{ law: '民法典', article: '第六百六十七条' }],
}
const law: Record<string, Tool> = {
  recognize_cause: async () => ({ causes: [], candidates: [], clear: 'private_lending' }),
  legal_elements: async (input: any) =>
    input.cause_of_action_code === 'private_lending'
      ? { elements: [element] }
      : { not_found: true },
  search_law: async () => ({
    passages: [{ document_id: 'd-1', title: '民法典：借款合同', content: '借款应当返还。' }],
  }),
}

test.each([
  ['借钱给朋友不还，借条还在，怎么办？', '借贷合意（原告举证）：《民法典》第六百六十七条'],
  ['I lent money on an IOU: can I sue?', 'Agreement to lend (for the claimant to prove)'],
])(
  'without a model a question of law is answered from the knowledge base: %s',
  async (question, line) => {
    const { output, reply } = await thread({ law }).say(question)
    expect(reply).toContain(line)
    expect(reply).toContain('借款应当返还')
    expect(reply).toMatch(/不构成法律意见|not advice/)
    expect(output).toMatchObject({
      known: true,
      sources: [
        { kind: 'element', key: element.element_id },
        { kind: 'document', key: 'd-1' },
      ],
    })
  },
)

test('the model gets the passages of the knowledge base and may cite them', async () => {
  server.script({ say: '依据《民法典》第六百六十七条，借款应当返还。' })
  const { output } = await thread({ model: true, law }).say('借款到期不还，借条在，怎么办？')
  expect(output.unverified_citations).toEqual([])
  expect(server.requests[0].messages[0].content).toContain('《民法典》第六百六十七条')
})

test('a citation gets a warning unless the knowledge base has it as law in force', async () => {
  const check_citations: Tool = async (input: any) => ({
    citations: [{ found: !input.text.includes('第九条'), in_force: true }],
  })
  server.script({ say: '参见《民法典》第十条、《民法典》第九条。' })
  const { output } = await thread({ model: true, law: { check_citations } }).say('我该怎么办')
  expect(output.unverified_citations).toEqual(['《民法典》第九条'])
})

test('an interpretation is cited as a whole, and each article of a list is checked', async () => {
  const check_citations: Tool = async () => ({ citations: [{ found: false, in_force: false }] })
  const invented = [
    '《最高人民法院关于适用《中华人民共和国民法典》婚姻家庭编的解释（一）》第九百条',
    '《样例解释》（二）第三条、第九百条',
  ]
  server.script({ say: `《中华人民共和国民法典》之外，参见${invented.join('；')}。` })
  const { output } = await thread({ model: true, law: { check_citations } }).say(
    '《中华人民共和国民法典》怎么说？',
  )
  expect(output.unverified_citations).toEqual(invented)
})

test('an unknown answer is reported as unknown and a greeting is returned', async () => {
  expect((await thread().say('火星上有几只猫')).reply).toContain('这个我不知道')
  expect((await thread().say('hello!')).reply).toMatch(/^Hello/)
})

test('a reply by rules is also emitted as text', async () => {
  const trial = thread()
  const { reply } = await trial.say('进展如何了？')
  expect(trial.said.join('')).toBe(reply)
})

test('the model request contains the matter and the language', async () => {
  server.script({ say: ['You lent ', '100,000 yuan.'] })
  const trial = thread({
    model: true,
    state: { memory: [{ entity_key: 'pet', content: 'Has a dog' }] },
  })
  const { output, reply } = await trial.say('How much did I lend?')
  expect(reply).toBe('You lent 100,000 yuan.')
  expect(trial.said.join('')).toBe(reply)
  expect(output).toMatchObject({ answered_by: 'model', known: true, unverified_citations: [] })
  const [system, ...rest] = server.requests[0].messages
  expect(system.content).toContain('Answer in English')
  expect(system.content).toContain('"amount":100000')
  expect(system.content).toContain('Has a dog')
  expect(rest).toEqual([{ role: 'user', content: 'How much did I lend?' }])
})

test('an unconfirmed citation of the model is marked as not verified', async () => {
  server.script({ say: '依据《民法典》第二百五十四条，您可以主张。' })
  const { output, reply } = await thread({ model: true }).say('我该怎么办')
  expect(output.unverified_citations).toEqual(['《民法典》第二百五十四条'])
  expect(reply).toContain('未经核实：《民法典》第二百五十四条')
  const quoted = await thread({ model: true }).say('《民法典》第二百五十四条是什么意思')
  expect(quoted.output.unverified_citations).toEqual([])
})

test('an interrupted reply is discarded and emitted again', async () => {
  server.script({ say: ['wrong ', 'words'], disconnectAfter: 1 }, { say: '好的' })
  const trial = thread({ model: true })
  expect((await trial.say('好吗')).reply).toBe('好的')
  expect(trial.said.join('')).toBe('好的')
})

test.each([
  ['is down', [{ status: 503 }]],
  ['breaks off every time', [{ say: ['half ', 'an answer'], disconnectAfter: 1 }]],
  ['says nothing', [{ say: '' }]],
])('if the model %s the rules answer', async (_, turns) => {
  server.script(...turns)
  const trial = thread({ model: true })
  const { output, reply } = await trial.say('他是否违法？')
  expect(output).toMatchObject({ answered_by: 'rules', known: false })
  expect(reply).toContain('语言模型暂时不可用')
  expect(trial.said.join('')).toBe(reply)
})

test('the conversation in a model request is limited and ends with the question', async () => {
  server.script({ say: 'ok' })
  const messages = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `${at} `.padEnd(4_000, 'x'),
  }))
  await thread({ model: true, state: { messages } }).say('And now?')
  const sent = server.requests[0].messages.slice(1)
  expect(sent.length).toBeLessThanOrEqual(20)
  expect(sent.map(({ content }: any) => content).join('').length).toBeLessThanOrEqual(24_000)
  expect(sent.at(-1)).toEqual({ role: 'user', content: 'And now?' })
})
