import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { calculators } from '../../calculators/all.ts'
import { answerKey } from './input-source.ts'
import skill from './skill.ts'

const thread = (intake_collection: Record<string, unknown>) =>
  makeSkillThread('calculation', skill, {
    tools: seedCauseTools(),
    state: { intake_collection },
    today: '2026-06-15',
  })
const loan = {
  cause_of_action_code: 'private_lending',
  client_role: 'claimant',
  amount: 100_000,
  event_date: '2023-05-01',
  interest_agreed: true,
  private_lending: { delivered_amount: 100_000, due_date: '2024-05-01', annual_rate: 10 },
}
const calculate = (id: string, inputs: unknown) => {
  const calculator = calculators.find((each) => each.id === id)!
  return calculator.calculate(calculator.inputs.parse(inputs)).result
}
const byId = (output: any) =>
  Object.fromEntries(output.calculations.map((each: any) => [each.calculator, each]))

test('a loan with all facts is calculated without a card, and its claims are the results', async () => {
  const { output, card } = await thread(loan).say('')
  expect(card).toBeNull()
  const expected = calculate('loan_interest', {
    principal: 100_000,
    made_on: '2023-05-01',
    from: '2023-05-01',
    to: '2026-06-15',
    rate: 10,
    overdue_from: '2024-05-02',
  })
  expect(byId(output).loan_interest.result).toEqual(expected)
  expect(output.claims).toEqual([
    { name: '返还借款本金', amount: 100_000, source: 'loan_interest' },
    {
      ...{ name: '支付利息', amount: expected.interest, source: 'loan_interest' },
      element_ids: ['private_lending.interest', 'private_lending.overdue_interest'],
    },
  ])
  expect(byId(output).court_fee.result).toEqual(
    calculate('court_fee', { kind: 'property', amount: expected.total_due }),
  )
  expect(byId(output).limitation.result).toEqual(calculate('limitation', { due_on: '2024-05-01' }))
  for (const { steps } of output.calculations) expect(steps.length).toBeGreaterThan(0)
})

test('missing inputs are asked on one card of at most five questions, in the language of the person', async () => {
  const at = thread({ cause_of_action_code: 'private_lending', interest_agreed: true })
  const { card } = await at.say('I lent money to a friend and he does not pay me back.')
  expect(card!.questions.length).toBeGreaterThan(2)
  expect(card!.questions.length).toBeLessThanOrEqual(5)
  expect(card!.questions[0]!.question).toMatch(/^How much money/)
  const answers = {
    'answers.amount': 100_000,
    'answers.event_date': '2023-05-01',
    [`answers.${answerKey('private_lending.due_date')}`]: '2024-05-01',
    [`answers.${answerKey('private_lending.annual_rate')}`]: 10,
  }
  const done = await at.answer(answers)
  expect(done.card).toBeNull()
  expect(done.output.claims[0]).toMatchObject({ amount: 100_000, source: 'loan_interest' })
})

test('an input that the person does not know is not asked again, and its calculation is skipped', async () => {
  const at = thread({ cause_of_action_code: 'labor_dispute', written_contract: true })
  const { card } = await at.say('公司把我辞退了')
  expect(card).not.toBeNull()
  const done = await at.skip()
  expect(done.card).toBeNull()
  expect(done.output.calculations).toEqual([])
  expect(done.output.skipped).toContainEqual({
    calculator: 'severance',
    reason: 'missing: employment_start',
  })
})

test('a dismissal without a written contract gives damages and the second wage', async () => {
  const { output } = await thread({
    cause_of_action_code: 'labor_dispute',
    client_role: 'claimant',
    employment_start: '2023-01-10',
    event_date: '2026-01-09',
    monthly_wage: 8_000,
    written_contract: false,
    labor_dispute: { ending: 'dismissed' },
  }).say('')
  const severance = { start: '2023-01-10', end: '2026-01-09', average_wage: 8_000 }
  const { two_n } = calculate('severance', { ...severance, ground: 'unlawful' })
  expect(output.claims).toContainEqual({
    name: '支付违法解除赔偿金',
    amount: two_n,
    source: 'severance',
    element_ids: ['labor_dispute.unlawful_dismissal'],
  })
  expect(byId(output).double_wage.result.extra).toBeGreaterThan(0)
})

test('a calculation that needs a rate before the table begins is skipped with the reason', async () => {
  const { output } = await thread({
    ...loan,
    event_date: '2018-05-01',
    interest_agreed: false,
    private_lending: { delivered_amount: 100_000, due_date: '2019-05-01' },
  }).say('')
  expect(output.skipped).toContainEqual({
    calculator: 'loan_interest',
    reason: expect.stringContaining('LPR'),
  })
  expect(output.claims).toMatchObject([{ amount: 100_000, source: 'intake.amount' }])
})

test('late payment is calculated beyond the end of the rate table, because its rate is that of the breach', async () => {
  const at = makeSkillThread('calculation', skill, {
    tools: seedCauseTools(),
    state: {
      intake_collection: {
        cause_of_action_code: 'sale_contract',
        amount: 50_000,
        event_date: '2025-03-01',
        sale_contract: { payment_due_date: '2025-04-01' },
      },
    },
    today: '2030-01-01',
  })
  const { output } = await at.say('')
  const { late_payment } = byId(output)
  expect(late_payment.inputs).toEqual({ price: 50_000, from: '2025-04-01', to: '2030-01-01' })
  expect(output.skipped).toEqual([])
  expect(output.claims[0]).toMatchObject({ name: '支付货款', amount: 50_000 })
})
