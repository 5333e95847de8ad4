import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../../tests/support/scripted-model.ts'
import { seedCauseTools, type TestFiles } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { openAiComplete } from '../../model/openai.ts'
import skill from './skill.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const iou =
  '借条\n今借到李四人民币100000元，借期一年，于2024年5月1日前归还。\n借款人：张三\n2023年5月1日'
const transfer = '电子回单\n2023年5月1日\n付款人：李四\n收款人：张三\n转账金额：100,000.00元'
const files: TestFiles = {
  iou: { filename: '借条.txt', text: iou },
  transfer: { filename: '转账回单.txt', text: transfer },
}
const story = '我在2023年5月1日借给张三10万元，约定一年后归还，到期后他一直不还。'

const makeThread = (given: TestFiles, withModel = false, state = {}) =>
  makeSkillThread('sufficiency', skill, {
    tools: seedCauseTools(given),
    state,
    complete: withModel
      ? openAiComplete({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1 })
      : undefined,
  })
const assess = async (given: TestFiles, withModel = false) => {
  const thread = makeThread(given, withModel)
  const result = await thread.say(story, Object.keys(given))
  const byId = Object.fromEntries(
    result.output.elements.map((each: { element_id: string }) => [each.element_id, each]),
  )
  return { ...result, byId, thread }
}

test('elements are proven by sound documents, weak by statements, missing without either', async () => {
  const { byId } = await assess(files)
  expect(byId['private_lending.agreement']).toMatchObject({
    status: 'proven',
    burden: 'plaintiff',
    evidence: ['iou'],
    gap: '',
  })
  expect(byId['private_lending.delivery']).toMatchObject({ status: 'proven' })
  expect(byId['private_lending.delivery'].evidence).toEqual(
    expect.arrayContaining(['transfer', 'intake.event_date']),
  )
  expect(byId['private_lending.spouse_liability']).toMatchObject({
    status: 'missing',
    evidence: [],
    gap: expect.stringContaining('可补充'),
  })
})

test('what only the person says is weak, and the gap names what would close it', async () => {
  const { byId, reply } = await assess({})
  expect(byId['private_lending.delivery']).toMatchObject({
    status: 'weak',
    evidence: ['intake.event_date'],
    gap: expect.stringContaining('转账记录'),
  })
  expect(byId['private_lending.agreement'].status).toBe('missing')
  expect(reply).toContain('款项实际交付')
})

test('the burden of an objection shifts to the other side', async () => {
  const { byId } = await assess(files)
  expect(byId['private_lending.principal'].shifts).toContainEqual({
    defence: '已经偿还',
    burden: 'defendant',
  })
})

test.each([
  ['an unsigned IOU', '借条\n今借到李四100000元，2023年5月1日。张三', '借条.txt'],
  ['a copy of an IOU', iou, '借条复印件.txt'],
])('%s alone is weak', async (_, text, filename) => {
  const { byId } = await assess({ f: { filename, text } })
  expect(byId['private_lending.agreement']).toMatchObject({ status: 'weak', evidence: ['f'] })
})

test('every open gap of a required element is a todo, which is done once a document closes it', async () => {
  const thread = makeThread(files)
  const first = await thread.say(story)
  const keys = first.products.todos?.map(({ todo_key }) => todo_key)
  expect(keys).toContain('evidence.private_lending.agreement')
  expect(keys).not.toContain('evidence.private_lending.spouse_liability')
  const second = await thread.say('这是借条', ['iou'])
  expect(second.products.todos).toContainEqual(
    expect.objectContaining({ todo_key: 'evidence.private_lending.agreement', status: 'DONE' }),
  )
})

test('elements of the other side are left out where the person named their role', async () => {
  const intake_collection = {
    cause_of_action_code: 'lease_contract',
    client_role: 'claimant',
    lease_contract: { role: 'tenant' },
  }
  const { output } = await makeThread({}, false, { intake_collection }).say('房东不退押金')
  const ids = output.elements.map(({ element_id }: { element_id: string }) => element_id)
  expect(ids).toContain('lease_contract.deposit_return')
  expect(ids).not.toContain('lease_contract.rent_arrears')
})

test('a model lowers a status and words gaps, but proves nothing by itself', async () => {
  server.script({
    json: {
      elements: [
        { element_id: 'private_lending.agreement', status: 'proven', quote: '借给张三', gap: '' },
        {
          element_id: 'private_lending.spouse_liability',
          status: 'weak',
          quote: '他妻子签了',
          gap: 'x',
        },
        { element_id: 'private_lending.delivery', status: 'weak', quote: null, gap: '补充回单。' },
      ],
    },
  })
  const { output, byId } = await assess({}, true)
  expect(output.made_by).toBe('model')
  expect(byId['private_lending.agreement'].status).toBe('weak')
  expect(byId['private_lending.spouse_liability'].status).toBe('missing')
  expect(byId['private_lending.delivery'].gap).toBe('补充回单。')
})

test('a case without a known cause has no elements', async () => {
  const { output } = await makeThread({}).say('今天天气不错')
  expect(output).toMatchObject({ elements: [], cause_of_action_code: null })
})

test('documents that only a model links to an element do not prove it', async () => {
  const quote = '双方是多年的朋友'
  const text = `说明\n${quote}。2023年5月1日 张三`
  const linked = (body: any) => ({
    json: JSON.stringify(body).includes('What does this document prove')
      ? {
          proves: quote,
          links: [{ element_id: 'private_lending.agreement', quote }],
          weaknesses: [],
        }
      : { elements: [] },
  })
  const model = await scriptedModel(linked)
  const given = {
    a: { filename: '说明一.txt', text },
    b: { filename: '说明二.txt', text },
  }
  const thread = makeSkillThread('sufficiency', skill, {
    tools: seedCauseTools(given),
    complete: openAiComplete({ baseUrl: model.baseUrl, model: 'm', backoffMs: 1 }),
  })
  const { output } = await thread.say(story, ['a', 'b'])
  await model.close()
  expect(output.elements[0]).toMatchObject({
    element_id: 'private_lending.agreement',
    status: 'weak',
    evidence: ['a', 'b'],
  })
})
