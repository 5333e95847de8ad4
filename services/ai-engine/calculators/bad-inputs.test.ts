import { expect, test } from 'vitest'
import { calculate } from '../../../tests/support/law-example.ts'
import { calculators } from './all.ts'

const loan = { principal: 1_000, made_on: '2024-01-01', from: '2024-01-01', to: '2024-06-01' }
const split = {
  ...{ medical: 1, disability: 1, property: 1, fault_share: 1, commercial_limit: 1 },
  compulsory_limits: { medical: 1, disability: 1, property: 1 },
}
const job = { start: '2020-01-01', end: '2023-01-01', average_wage: 1, ground: 'agreed' }

/** Inputs that are refused: [calculator, inputs, path of the input that is named]. */
const refused: [calculator: string, inputs: object, path: string][] = [
  ['loan_interest', { ...loan, principal: -1 }, 'principal'],
  ['loan_interest', { ...loan, principal: 1e13 }, 'principal'],
  ['loan_interest', { ...loan, principal: '1000' }, 'principal'],
  ['loan_interest', { ...loan, filed_on: '2023-12-31' }, 'filed_on'],
  ['loan_interest', { ...loan, overdue_from: '2023-12-31' }, 'overdue_from'],
  ['loan_interest', { ...loan, withheld: 1_000.01 }, 'withheld'],
  ['loan_interest', { ...loan, payments: [{ on: '2024-06-02', amount: 1 }] }, 'payments.0.on'],
  ['loan_interest', { ...loan, payments: [{ on: '2024-02-01', amont: 1 }] }, 'payments.0.amount'],
  ['loan_interest', { ...loan, rates: 12 }, ''],
  ['loan_interest', { ...loan, to: '2023-02-29' }, 'to'],
  ['late_payment', { price: 1, from: '2024-01-02', to: '2024-01-01' }, 'to'],
  ['late_payment', { price: null, from: '2024-01-01', to: '2024-01-02' }, 'price'],
  ['severance', { ...job, end: '2019-12-31' }, 'end'],
  ['severance', { ...job, start: '2005-01-01', end: '2007-12-31' }, 'end'],
  ['severance', { ...job, end: '9999-12-31' }, 'end'],
  ['severance', { ...job, ground: 'angry' }, 'ground'],
  ['double_wage', { hired_on: '2024-02-30', monthly_wage: 1 }, 'hired_on'],
  ['double_wage', { hired_on: '2024-03-01', monthly_wage: 1, left_on: '2024-02-01' }, 'left_on'],
  ['overtime', { monthly_wage: 1, workday_hours: -1, rest_days: 0, holidays: 0 }, 'workday_hours'],
  ['annual_leave', { monthly_wage: 1, days_unused: 1_001 }, 'days_unused'],
  ['work_injury', { grade: 11, monthly_wage: 1, local_average_wage: 1 }, 'grade'],
  ['work_injury', { grade: 1.5, monthly_wage: 1, local_average_wage: 1 }, 'grade'],
  ['disability', { annual_income: 1, share: 10, age: 30 }, 'share'],
  ['disability', { annual_income: 1, share: 0.1, age: 30.5 }, 'age'],
  ['lost_income', { annual_income: 1, days: 1e300 }, 'days'],
  ['traffic_split', { ...split, fault_share: 70 }, 'fault_share'],
  [
    'traffic_split',
    { ...split, compulsory_limits: { medical: 1 } },
    'compulsory_limits.disability',
  ],
  ['child_support', { monthly_income: 1, children: 0 }, 'children'],
  ['court_fee', { kind: 'property', amount: true }, 'amount'],
  ['application_fee', { kind: 'preservation' }, 'amount'],
  [
    'delayed_performance',
    { amount: 1, period_ended_on: '2024-02-01', until: '2024-01-01' },
    'until',
  ],
  ['limitation', { due_on: '2023-01-01', years: 0 }, 'years'],
  ['limitation', { due_on: '0050-01-01' }, 'due_on'],
  ['limitation', { due_on: '2023-01-01', interruptions: ['soon'] }, 'interruptions.0'],
  [
    'limitation',
    { due_on: '2023-01-01', suspensions: [{ from: '2024-01-02', to: '2024-01-01' }] },
    'suspensions.0.to',
  ],
  ['deadline', { kind: 'appeal', from: '2024-01-01' }, 'kind'],
]

test.each(refused)('%s refuses %j and names %s', (id, inputs, path) => {
  const calculator = calculators.find((each) => each.id === id)!
  const { error } = calculator.inputs.safeParse(inputs)
  expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path)
})

test('every calculator has inputs that are refused', () => {
  expect(calculators.filter(({ id }) => !refused.some(([each]) => each === id))).toEqual([])
})

test('an appeal period from abroad is refused for other periods', () => {
  expect(() =>
    calculate('deadline', { kind: 'guarantee', from: '2024-01-01', abroad: true }),
  ).toThrow(expect.objectContaining({ kind: 'VALIDATION_FAILED' }))
})

test('amounts with many decimals give results in whole cents', () => {
  const decimals = 1_000.123456789012
  const inputs = { ...loan, principal: decimals, rate: 10.000000000001, withheld: 0.000000001 }
  const payments = [{ on: '2024-03-01', amount: 33.333333333333 }]
  const { result } = calculate('loan_interest', { ...inputs, payments }) as any
  for (const name of ['interest', 'principal_due', 'total_due']) {
    expect(Math.round(result[name] * 100) / 100, name).toBe(result[name])
  }
})

test.each(calculators)('$id refuses an input that it does not know', ({ inputs }) => {
  const issues = inputs.safeParse({ horoscope: 1 }).error!.issues
  expect(issues).toContainEqual(expect.objectContaining({ keys: ['horoscope'] }))
})
