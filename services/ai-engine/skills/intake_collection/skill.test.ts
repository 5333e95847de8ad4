import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { seedCauseTools, seedProfiles } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import type { Question } from '../../card.ts'
import skill from './skill.ts'

const thread = (state: Record<string, unknown> = {}) =>
  makeSkillThread('intake_collection', skill, { state, tools: seedCauseTools() })
const keys = (card: { questions: Question[] } | null) =>
  card?.questions.map(({ field_key }) => field_key.replace('intake_collection.', ''))

const loan =
  '我在2024年3月5日借给张三10万元，有借条和转账记录，约定2024年底还，他一直不还。我想要回借款。'

const loanDetails = {
  'private_lending.agreement_form': 'written',
  'private_lending.delivery_method': 'bank_transfer',
  'private_lending.delivered_amount': 100_000,
}

test('a complete story leaves only the questions of its cause, and their answers reach the matter', async () => {
  const trial = thread()
  const { card } = await trial.say(loan)
  expect(card?.review_type).toBe('clarify')
  expect(keys(card)).toEqual([...Object.keys(loanDetails), 'evidence_files'])
  expect(card?.questions[0]).toMatchObject({ question: '双方是如何约定借款的？', required: true })

  const { card: none, output, products, reply } = await trial.answer(loanDetails)
  expect(none).toBeNull()
  expect(output).toMatchObject({
    complete: true,
    missing: [],
    language: 'zh',
    matter_category: 'civil_litigation',
    cause_of_action_code: 'private_lending',
    client_role: 'claimant',
    amount: 100_000,
    event_date: '2024-03-05',
    opposing_party: '张三',
    evidence: ['written_agreement', 'payment_record'],
    what_happened: loan,
    aim: '我想要回借款',
    details: loanDetails,
  })
  expect(reply).toContain('民间借贷纠纷')
  expect(products).toMatchObject({
    matter_category: 'civil_litigation',
    cause_of_action_code: 'private_lending',
    profile: {
      amount: 100_000,
      event_date: '2024-03-05',
      private_lending: { agreement_form: 'written', delivered_amount: 100_000 },
    },
    phases: [{ phase_id: 'intake', phase_name: '信息收集', status: 'COMPLETED', order_num: 1 }],
    complete_todos: [{ todo_key: 'intake_collection', result: { amount: 100_000 } }],
  })
  const fact = (key: string) => products.facts?.find(({ entity_key }) => entity_key === key)
  expect(fact('intake.amount')).toMatchObject({
    content: '涉及金额（元）: 100,000',
    value: 100_000,
    category: 'case_detail',
    metadata: { quote: '我在2024年3月5日借给张三10万元' },
  })
  expect(fact('intake.private_lending.agreement_form')).toMatchObject({
    content: '双方是如何约定借款的？ 书面借条或合同',
  })
})

test('without knowledge-service the intake asks its general questions only', async () => {
  const away = async () => ({ unavailable: true })
  const tools = { recognize_cause: away, legal_elements: away }
  const trial = makeSkillThread('intake_collection', skill, { tools })
  const { card, output } = await trial.say('他借了我的钱不还')
  expect(keys(card)?.slice(0, 2)).toEqual(['what_happened', 'aim'])
  expect(output.cause_of_action_code).toBeUndefined()
  const { output: done, products } = await trial.answer({ what_happened: loan, aim: '还钱' })
  expect(done).toMatchObject({ complete: true, matter_category: 'consultation' })
  expect(products).not.toHaveProperty('cause_of_action_code')
})

test('a cause that only knowledge-service knows is offered and recognized', async () => {
  const cause = { code: 'drone_rental', name: '无人机租用纠纷', name_en: 'Drone rental' }
  const tools = {
    recognize_cause: async () => ({
      causes: [{ ...cause, matter_category: 'commercial_arbitration' }],
      candidates: [{ code: 'drone_rental', quotes: ['无人机'] }],
      clear: 'drone_rental',
    }),
    legal_elements: async () => ({
      elements: [
        {
          required: true,
          questions: [
            {
              question: '无人机型号？',
              field_key: 'intake_collection.drone_rental.model',
              input_type: 'text',
              required: true,
            },
          ],
        },
      ],
    }),
  }
  const { card, output } = await makeSkillThread('intake_collection', skill, { tools }).say(
    '无人机租给别人，对方不还',
  )
  expect(output).toMatchObject({
    cause_of_action_code: 'drone_rental',
    matter_category: 'commercial_arbitration',
  })
  expect(keys(card)).toContain('drone_rental.model')
})

test('missing fields are requested on one card in the language of the person', async () => {
  const english = thread()
  const { card, output, products } = await english.say(
    'My employer fired me last month and has not paid my wages, although I worked there for three years.',
  )
  expect(output).toMatchObject({
    cause_of_action_code: 'labor_dispute',
    matter_category: 'labor_arbitration',
    client_role: 'claimant',
    complete: false,
  })
  expect(card?.review_type).toBe('clarify')
  expect(keys(card)?.slice(0, 3)).toEqual(['aim', 'employment_start', 'written_contract'])
  expect(card?.questions[0]?.question).toBe('What do you want to achieve?')
  expect(products).toEqual({
    phases: [{ phase_id: 'intake', phase_name: 'Intake', status: 'IN_PROGRESS', order_num: 1 }],
  })

  const done = await english.answer({
    aim: 'Get my wages',
    employment_start: '2023-05-02',
    written_contract: true,
    event_date: '2026-05-02',
    'labor_dispute.arbitration_status': 'not_filed',
    evidence: null,
    opposing_party: null,
    evidence_files: ['f-1'],
  })
  expect(done.card).toBeNull()
  expect(done.output).toMatchObject({ complete: true, evidence: null, written_contract: true })
  expect(done.output.found_by).toMatchObject({ aim: 'answer', client_role: 'rules' })
  expect(done.products).toMatchObject({ file_ids: ['f-1'] })
  expect(done.products.profile).not.toHaveProperty('evidence')
  const facts = done.products.facts ?? []
  expect(facts.find(({ entity_key }) => entity_key === 'intake.aim')?.confidence).toBe(1)
  expect(facts.find(({ entity_key }) => entity_key === 'intake.client_role')?.confidence).toBe(0.8)
})

test('without a story the first card requests the kind of matter', async () => {
  const { card } = await thread().say('你好，我想咨询一下')
  expect(keys(card)).toEqual([
    'cause_of_action_code',
    'what_happened',
    'aim',
    'client_role',
    'opposing_party',
  ])
  const [cause] = card!.questions
  expect(cause).toMatchObject({
    input_type: 'select',
    required: true,
    question: '这是哪一类事项？',
  })
  expect(cause?.options?.map(({ value }) => value)).toEqual([
    ...seedProfiles().map(({ code }) => code),
    'other',
  ])
  expect(card?.questions.map(({ required }) => required)).toEqual([true, true, true, true, false])
})

test('fields of the matter are not requested and a completed todo is not completed again', async () => {
  const matter = {
    cause_of_action_code: 'private_lending',
    profile: { amount: 50_000, client_role: 'claimant', aim: '还款', event_date: '2024-01-02' },
    todos: [{ todo_key: 'intake_collection', status: 'DONE' }],
  }
  const withMatter = thread({ matter, file_ids: ['f-9'] })
  const { card } = await withMatter.say('他不还钱')
  expect(keys(card)).toEqual(['what_happened', ...Object.keys(loanDetails), 'opposing_party'])
  const done = await withMatter.answer({ what_happened: '借了五万，不还', ...loanDetails })
  expect(done.output).toMatchObject({ amount: 50_000, evidence_files: ['f-9'], complete: true })
  expect(done.products).not.toHaveProperty('complete_todos')
  const again = await withMatter.say('谢谢')
  expect(again.card).toBeNull()
  expect(again.products).toEqual({})
})

test('a month without a day is proposed as a default and not stored as a date', async () => {
  const { card } = await thread().say(
    '去年3月我借给朋友李四五万元现金没有借条，现在他说没钱不肯还给我，我想起诉他',
  )
  const date = card?.questions.find(({ field_key }) => field_key.endsWith('event_date'))
  expect(date).toMatchObject({ default: '2025-03-01', input_type: 'date', required: true })
})

test.each([
  ['公司拖欠我三个月工资，还没签劳动合同', 'labor_dispute', 'claimant'],
  ['房东不退押金', 'lease_contract', 'claimant'],
  ['我被起诉离婚了，妻子要抚养权', 'divorce', 'respondent'],
  ['昨天我被一辆货车撞了，发生交通事故', 'traffic_accident', 'claimant'],
  ['客户拖欠货款，买卖合同签了', 'sale_contract', 'claimant'],
  ['请帮我审查一份采购协议', undefined, undefined],
  ['I lent Bob Smith 20,000 yuan and he will not repay the loan', 'private_lending', 'claimant'],
  ['My landlord is suing me over the rent', 'lease_contract', 'respondent'],
  ['今天天气不错', undefined, undefined],
])('%s is classified as %s', async (text, cause, role) => {
  const { output } = await thread().say(text)
  expect(output.cause_of_action_code).toBe(cause)
  expect(output.client_role).toBe(role)
})

/** A valid answer to a question; sometimes null if the question allows it. */
const answerTo = ({ input_type, options, required }: Question): fc.Arbitrary<unknown> => {
  const values = options?.map(({ value }) => value) ?? []
  const kinds: Record<Question['input_type'], fc.Arbitrary<unknown>> = {
    text: fc.string({ minLength: 1 }),
    textarea: fc.string({ minLength: 1, maxLength: 6_000 }),
    number: fc.double({ noNaN: true }),
    money: fc.double({ min: 0, max: 1e15, noNaN: true }),
    date: fc.constantFrom('2024-02-29', '1970-01-01', '2030-12-31'),
    boolean: fc.boolean(),
    select: fc.constantFrom(...values, 'x'),
    multi_select: fc.subarray(values),
    file: fc.array(fc.uuid(), { maxLength: 3 }),
  }
  return required ? kinds[input_type] : fc.option(kinds[input_type])
}

test('answering completes the intake after a confirmation and three cards of five questions, each asked once', async () => {
  const pieces = fc.constantFrom(
    loan,
    '工资',
    '离婚',
    '车祸',
    '合同',
    '10万元',
    '去年',
    'my wife',
    '?',
    '',
  )
  const messages = fc.array(pieces, { minLength: 1, maxLength: 4 }).map((all) => all.join('，'))
  await fc.assert(
    fc.asyncProperty(messages, fc.gen(), async (message, pick) => {
      const trial = thread()
      const askedKeys = new Set<string>()
      let { card, output } = await trial.say(message)
      for (let cards = 0; card; cards++) {
        expect(cards).toBeLessThan(4)
        expect(card.questions.length).toBeLessThanOrEqual(5)
        expect(card.questions.some(({ required }) => required)).toBe(true)
        for (const key of keys(card)!) {
          expect(askedKeys.has(key)).toBe(false)
          askedKeys.add(key)
        }
        const answers = card.questions.map((question) => [
          question.field_key.replace('intake_collection.', ''),
          pick(answerTo, question),
        ])
        ;({ card, output } = await trial.answer(Object.fromEntries(answers)))
      }
      expect(output).toMatchObject({ complete: true, missing: [] })
    }),
    { numRuns: 50 },
  )
})
