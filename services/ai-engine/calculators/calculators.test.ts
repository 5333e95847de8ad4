import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculators } from './all.ts'
import type { Outcome } from './calculator.ts'
import { Fraction, fraction } from './fraction.ts'

function calculate(id: string, inputs: object): Outcome {
  const calculator = calculators.find((each) => each.id === id)!
  return calculator.calculate(calculator.inputs.parse(inputs))
}

/** Examples derived by hand: [calculator, inputs, members of the result]. */
const examples: [id: string, inputs: object, result: object][] = [
  // 100,000 × 12 % × 365 / 365.
  [
    'loan_interest',
    { principal: 100_000, rate: 12, made_on: '2023-01-01', from: '2023-01-01', to: '2024-01-01' },
    { interest: 12_000, principal_due: 100_000, total_due: 112_000, cap_rate: 14.6 },
  ],
  // 24 % agreed; LPR 3.65 on 2022-09-01, so 14.6 %: 50,000 × 14.6 % × 181 / 365.
  [
    'loan_interest',
    { principal: 50_000, rate: 24, made_on: '2022-09-01', from: '2022-09-01', to: '2023-03-01' },
    { interest: 3_620, cap_rate: 14.6 },
  ],
  // Before the reform: 24 % for 477 days, then 4 × 3.85 % for 254 days.
  [
    'loan_interest',
    {
      ...{ principal: 100_000, rate: 30, made_on: '2019-05-01', filed_on: '2021-05-10' },
      ...{ from: '2019-05-01', to: '2021-05-01' },
    },
    { interest: 42_081.09, cap_rate: 15.4 },
  ],
  // 50,000 paid: 9,917.81 of it is interest; then 159,917.81 × 10 % × 174 / 365.
  [
    'loan_interest',
    {
      ...{ principal: 200_000, rate: 10, made_on: '2023-01-10', from: '2023-01-10' },
      ...{ to: '2023-12-31', payments: [{ on: '2023-07-10', amount: 50_000 }] },
    },
    { interest: 7_623.48, principal_due: 159_917.81, total_due: 167_541.29 },
  ],
  // No interest agreed; LPR 3.45 when it became overdue: 80,000 × 3.45 % × 365 / 365.
  [
    'loan_interest',
    {
      ...{ principal: 80_000, made_on: '2023-03-01', from: '2023-03-01', to: '2025-03-01' },
      overdue_from: '2024-03-01',
    },
    { interest: 2_760, total_due: 82_760 },
  ],
  // 8,000 deducted in advance: the principal is 92,000.
  [
    'loan_interest',
    {
      ...{ principal: 100_000, withheld: 8_000, rate: 12, made_on: '2023-01-01' },
      ...{ from: '2023-01-01', to: '2024-01-01' },
    },
    { interest: 11_040, principal_due: 92_000 },
  ],
  // A new IOU over 130,000: 114,600 recognized; principal and interest are limited to
  // 100,000 + 100,000 × 14.6 % × 731 / 365 = 129,240.
  [
    'loan_interest',
    {
      ...{ principal: 100_000, rate: 30, made_on: '2022-09-01', from: '2022-09-01' },
      to: '2024-09-01',
      renewals: [{ on: '2023-09-01', principal: 130_000, rate: 14 }],
    },
    { principal_due: 114_600, total_due: 129_240 },
  ],
  [
    'late_payment',
    { price: 300_000, from: '2024-01-15', to: '2024-12-31' },
    { days: 351, low: 12_938.92, high: 14_929.52 },
  ],
  [
    'late_payment',
    { price: 1_000_000, from: '2020-08-20', to: '2020-08-21' },
    { days: 1, low: 137.12, high: 158.22 },
  ],
  [
    'late_payment',
    { price: 1_000_000, from: '2024-01-15', to: '2024-01-15' },
    { days: 0, low: 0, high: 0 },
  ],
  // Six years, three months and more: 6.5 × 8,000.
  [
    'severance',
    { start: '2018-03-15', end: '2024-06-30', average_wage: 8_000, ground: 'agreed' },
    { years: 6.5, base: 8_000, n: 52_000, two_n: null, n_plus_one: null },
  ],
  // Wage above three times the local average: capped base, at most twelve years, doubled.
  [
    'severance',
    {
      ...{ start: '2008-01-01', end: '2023-12-31', average_wage: 50_000, ground: 'unlawful' },
      local_average_wage: 10_000,
    },
    { years: 12, base: 30_000, n: 360_000, two_n: 720_000, n_plus_one: null },
  ],
  [
    'severance',
    {
      ...{ start: '2024-01-01', end: '2024-06-30', average_wage: 9_000, ground: 'article_40' },
      last_month_wage: 9_500,
    },
    { years: 1, n: 9_000, two_n: null, n_plus_one: 18_500 },
  ],
  [
    'severance',
    { start: '2020-01-01', end: '2023-01-01', average_wage: 6_000, ground: 'agreed' },
    { years: 3, n: 18_000 },
  ],
  // Less than six months, even one day, is half a month's wage (article 47).
  [
    'severance',
    { start: '2024-01-01', end: '2024-01-01', average_wage: 6_000, ground: 'agreed' },
    { years: 0.5, n: 3_000 },
  ],
  // Hired on the last day of a month: never more than eleven months (实施条例 7).
  [
    'double_wage',
    { hired_on: '2024-01-31', monthly_wage: 10_000 },
    { from: '2024-02-29', to: '2025-01-30', months: 11, workdays: 0, extra: 110_000 },
  ],
  // Eleven months from 2024-04-01 to 2025-02-28.
  [
    'double_wage',
    { hired_on: '2024-03-01', monthly_wage: 8_000 },
    { from: '2024-04-01', to: '2025-02-28', months: 11, extra: 88_000 },
  ],
  // Four months, and twelve working days from 2024-08-15 to 2024-08-31 at 400.
  [
    'double_wage',
    { hired_on: '2024-03-15', monthly_wage: 8_700, left_on: '2024-08-31' },
    { from: '2024-04-15', to: '2024-08-31', months: 4, extra: 39_600 },
  ],
  [
    'double_wage',
    { hired_on: '2024-03-15', monthly_wage: 8_700, signed_on: '2024-04-01' },
    { months: 0, extra: 0 },
  ],
  // 50 × 1.5 × 10 + 400 × 2 × 2 + 400 × 3 × 1.
  [
    'overtime',
    { monthly_wage: 8_700, workday_hours: 10, rest_days: 2, holidays: 1 },
    { hourly: 50, daily: 400, overtime: 3_550 },
  ],
  [
    'overtime',
    { monthly_wage: 10_000, workday_hours: 20, rest_days: 3, holidays: 1 },
    { hourly: 57.47, daily: 459.77, overtime: 5_862.03 },
  ],
  [
    'overtime',
    { monthly_wage: 8_700, workday_hours: 0, rest_days: 0, holidays: 0 },
    { overtime: 0 },
  ],
  ['annual_leave', { monthly_wage: 8_700, days_unused: 5 }, { daily: 400, extra: 4_000 }],
  ['annual_leave', { monthly_wage: 10_000, days_unused: 5 }, { daily: 459.77, extra: 4_597.7 }],
  ['annual_leave', { monthly_wage: 8_700, days_unused: 0 }, { extra: 0 }],
  [
    'work_injury',
    { grade: 10, monthly_wage: 6_000, local_average_wage: 8_000 },
    { base: 6_000, months: 7, grant: 42_000 },
  ],
  [
    'work_injury',
    { grade: 1, monthly_wage: 40_000, local_average_wage: 8_000 },
    { base: 24_000, months: 27, grant: 648_000 },
  ],
  [
    'work_injury',
    { grade: 5, monthly_wage: 3_000, local_average_wage: 8_000 },
    { base: 4_800, months: 18, grant: 86_400 },
  ],
  ['disability', { annual_income: 50_000, share: 0.1, age: 40 }, { years: 20, amount: 100_000 }],
  ['disability', { annual_income: 50_000, share: 0.2, age: 65 }, { years: 15, amount: 150_000 }],
  ['disability', { annual_income: 50_000, share: 1, age: 80 }, { years: 5, amount: 250_000 }],
  ['lost_income', { annual_income: 54_000, days: 45 }, { amount: 6_657.53 }],
  ['lost_income', { annual_income: 36_500, days: 10 }, { amount: 1_000 }],
  ['lost_income', { annual_income: 80_000, days: 90 }, { amount: 19_726.03 }],
  // 18,000 + 180,000 + 2,000 by the compulsory insurer; the rest of 62,000 × 70 %.
  [
    'traffic_split',
    {
      ...{ medical: 50_000, disability: 200_000, property: 12_000, fault_share: 0.7 },
      compulsory_limits: { medical: 18_000, disability: 180_000, property: 2_000 },
      commercial_limit: 30_000,
    },
    { compulsory: 200_000, commercial: 30_000, remaining: 13_400 },
  ],
  [
    'traffic_split',
    {
      ...{ medical: 10_000, disability: 0, property: 1_000, fault_share: 1 },
      compulsory_limits: { medical: 18_000, disability: 180_000, property: 2_000 },
      commercial_limit: 1_000_000,
    },
    { compulsory: 11_000, commercial: 0, remaining: 0 },
  ],
  [
    'traffic_split',
    {
      ...{ medical: 28_000, disability: 0, property: 0, fault_share: 0.5 },
      compulsory_limits: { medical: 18_000, disability: 180_000, property: 2_000 },
      commercial_limit: 0,
    },
    { compulsory: 18_000, commercial: 0, remaining: 5_000 },
  ],
  ['child_support', { monthly_income: 10_000, children: 1 }, { low: 2_000, high: 3_000 }],
  ['child_support', { monthly_income: 10_000, children: 2 }, { low: 2_000, high: 5_000 }],
  ['child_support', { monthly_income: 3_333.33, children: 1 }, { low: 666.67, high: 1_000 }],
  ['court_fee', { kind: 'property', amount: 8_000 }, { low: 50, high: 50 }],
  [
    'court_fee',
    { kind: 'property', amount: 150_000, simplified: true },
    { low: 1_650, high: 1_650 },
  ],
  ['court_fee', { kind: 'property', amount: 1_234_567 }, { low: 15_911.1, high: 15_911.1 }],
  ['court_fee', { kind: 'property', amount: 30_000_000 }, { low: 191_800 }],
  ['court_fee', { kind: 'divorce', amount: 600_000 }, { low: 2_050, high: 2_300 }],
  ['court_fee', { kind: 'divorce', amount: 200_000 }, { low: 50, high: 300 }],
  ['court_fee', { kind: 'other' }, { low: 50, high: 100 }],
  ['application_fee', { kind: 'preservation', amount: 50_000 }, { fee: 520 }],
  ['application_fee', { kind: 'preservation', amount: 5_000_000 }, { fee: 5_000 }],
  ['application_fee', { kind: 'enforcement', amount: 300_000 }, { fee: 4_400 }],
  ['application_fee', { kind: 'enforcement', amount: 12_000_000 }, { fee: 79_400 }],
  ['application_fee', { kind: 'payment_order', amount: 100_000 }, { fee: 766.67 }],
  [
    'delayed_performance',
    { amount: 1_000_000, period_ended_on: '2024-01-01', until: '2024-12-31' },
    { interest: 63_875 },
  ],
  // 100,000 for 151 days, then 60,000 for 184 days.
  [
    'delayed_performance',
    {
      ...{ amount: 100_000, period_ended_on: '2024-01-31', until: '2024-12-31' },
      payments: [{ on: '2024-06-30', amount: 40_000 }],
    },
    { interest: 4_574.5 },
  ],
  [
    'delayed_performance',
    {
      ...{ amount: 100_000, period_ended_on: '2024-01-31', until: '2024-12-31' },
      payments: [{ on: '2024-06-30', amount: 100_000 }],
    },
    { interest: 2_642.5 },
  ],
  ['limitation', { due_on: '2024-12-31' }, { expires_on: '2027-12-31', last_day: '2027-12-31' }],
  ['limitation', { due_on: '2024-02-29' }, { expires_on: '2027-02-28', last_day: '2027-03-01' }],
  [
    'limitation',
    { due_on: '2020-05-15', interruptions: ['2022-08-01', '2024-05-15'] },
    { expires_on: '2027-05-15', last_day: '2027-05-17' },
  ],
  // The obstacle reached into the last six months: six months after it ended.
  [
    'limitation',
    { due_on: '2020-06-30', suspensions: [{ from: '2023-05-01', to: '2023-08-10' }] },
    { expires_on: '2024-02-10', last_day: '2024-02-12' },
  ],
  [
    'limitation',
    { due_on: '2020-06-30', suspensions: [{ from: '2021-05-01', to: '2021-08-10' }] },
    { expires_on: '2023-06-30' },
  ],
  [
    'limitation',
    { due_on: '2023-05-01', holidays: ['2026-05-01'] },
    { expires_on: '2026-05-01', last_day: '2026-05-04' },
  ],
  // Until 2017-09-30 the period was two years (民法通则 135); one that had not ended became three (民法总则 188).
  ['limitation', { due_on: '2015-09-30' }, { expires_on: '2017-09-30', last_day: '2017-10-02' }],
  ['limitation', { due_on: '2015-10-01' }, { expires_on: '2018-10-01' }],
  [
    'limitation',
    { due_on: '2015-06-01', interruptions: ['2017-08-01', '2020-05-01'] },
    { expires_on: '2017-06-01' },
  ],
  [
    'limitation',
    { due_on: '2013-01-10', interruptions: ['2014-12-01', '2016-11-20'] },
    { expires_on: '2019-11-20' },
  ],
  ['limitation', { due_on: '2012-01-10', years: 4 }, { expires_on: '2016-01-10' }],
  ['deadline', { kind: 'guarantee', from: '2024-08-31' }, { last_day: '2025-02-28' }],
  ['deadline', { kind: 'enforcement', from: '2024-03-15' }, { last_day: '2026-03-16' }],
  ['deadline', { kind: 'appeal_judgment', from: '2024-03-01' }, { last_day: '2024-03-18' }],
  ['deadline', { kind: 'appeal_ruling', from: '2024-03-01' }, { last_day: '2024-03-11' }],
  ['deadline', { kind: 'sue_after_award', from: '2024-03-04' }, { last_day: '2024-03-19' }],
]

test.each(examples)('%s of %j gives the figures derived by hand', (id, inputs, result) => {
  expect(calculate(id, inputs).result).toMatchObject(result)
})

test('every calculator has at least three examples', () => {
  for (const { id } of calculators) {
    expect(examples.filter(([each]) => each === id).length, id).toBeGreaterThanOrEqual(3)
  }
})

test('overdue interest without an agreed rate also shows the floating reading', () => {
  const { alternatives } = calculate('loan_interest', {
    ...{ principal: 80_000, made_on: '2023-03-01', from: '2023-03-01', to: '2025-03-01' },
    overdue_from: '2024-03-01',
  })
  expect(alternatives).toMatchObject([{ result: { interest: 2_639.56 } }])
})

test.each(['2019-08-19', '2026-08-21'])(
  'a breach on %s is rejected because it is outside the LPR table',
  (from) => {
    expect(() => calculate('late_payment', { price: 1, from, to: '2026-12-31' })).toThrow(
      expect.objectContaining({
        code: 'RATE_TABLE_ENDS',
        data: expect.objectContaining({ through: '2026-08-20' }),
      }),
    )
  },
)

describe('properties', () => {
  const money = fc.integer({ min: 0, max: 1_000_000_000 }).map((cents) => cents / 100)
  const loan = fc.record({
    principal: money,
    rate: fc.integer({ min: 0, max: 600 }).map((tenths) => tenths / 10),
    made_on: fc.constantFrom('2018-03-01', '2020-08-20', '2022-09-01', '2024-11-05'),
    days: fc.integer({ min: 0, max: 700 }),
    payments: fc.array(fc.record({ day: fc.integer({ min: 0, max: 700 }), amount: money }), {
      maxLength: 4,
    }),
  })
  const dayAfter = (date: string, days: number) =>
    new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
  const toInputs = ({
    days,
    payments,
    ...terms
  }: typeof loan extends fc.Arbitrary<infer T> ? T : never) => ({
    ...terms,
    from: terms.made_on,
    to: dayAfter(terms.made_on, days),
    filed_on: '2024-12-02',
    payments: payments
      .filter(({ day }) => day <= days)
      .map(({ day, amount }) => ({ on: dayAfter(terms.made_on, day), amount })),
  })

  test('no segment exceeds the cap, and the due sum is principal and interest', () => {
    fc.assert(
      fc.property(loan, (terms) => {
        const { result } = calculate('loan_interest', toInputs(terms)) as unknown as {
          result: {
            segments: { rate: number }[]
            cap_rate: number
            interest: number
            principal_due: number
            total_due: number
          }
        }
        const cap = terms.made_on < '2020-08-20' ? 24 : result.cap_rate
        for (const { rate } of result.segments) expect(rate).toBeLessThanOrEqual(cap)
        const due = fraction(result.interest).plus(fraction(result.principal_due))
        expect(due.toNumber()).toBe(result.total_due)
        expect(result.interest).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('interest without payments is the sum of its segments', () => {
    fc.assert(
      fc.property(loan, (terms) => {
        const { result } = calculate('loan_interest', toInputs({ ...terms, payments: [] }))
        const { segments, interest } = result as {
          segments: { interest: number }[]
          interest: number
        }
        const total = segments.reduce(
          (sum, each) => sum.plus(fraction(each.interest)),
          new Fraction(0n),
        )
        expect(total.toNumber()).toBe(interest)
      }),
    )
  })

  test('a longer delay and a higher amount never cost less', () => {
    fc.assert(
      fc.property(money, money, fc.nat(700), fc.nat(700), (a, b, m, n) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        const [short, long] = m < n ? [m, n] : [n, m]
        const low = (price: number, days: number) =>
          calculate('late_payment', { price, from: '2022-09-01', to: dayAfter('2022-09-01', days) })
            .result.low as number
        expect(low(less, short)).toBeLessThanOrEqual(low(more, long))
        const fee = (amount: number) =>
          calculate('court_fee', { kind: 'property', amount }).result.low as number
        expect(fee(less)).toBeLessThanOrEqual(fee(more))
      }),
    )
  })

  test('rounding is half up to the cent for every amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (thousandths) => {
        const cents = fraction(thousandths).over(1000).cents().times(100).toNumber()
        expect(cents).toBe(Math.floor((thousandths + 5) / 10))
      }),
    )
  })
})

test('the order in which new IOUs and payments are listed does not change the interest', () => {
  const loan = {
    ...{
      principal: 100_000,
      made_on: '2021-01-01',
      from: '2021-01-01',
      to: '2025-01-01',
      rate: 10,
    },
    renewals: [
      { on: '2022-01-01', principal: 110_000, rate: 12 },
      { on: '2023-01-01', principal: 120_000, rate: 6 },
    ],
    payments: [
      { on: '2022-06-01', amount: 1_000 },
      { on: '2024-06-01', amount: 5_000 },
    ],
  }
  const reversed = {
    ...loan,
    renewals: loan.renewals.toReversed(),
    payments: loan.payments.toReversed(),
  }
  expect(calculate('loan_interest', reversed)).toEqual(calculate('loan_interest', loan))
})

test('a suspension that ends before it begins is refused', () => {
  const { inputs } = calculators.find(({ id }) => id === 'limitation')!
  const suspensions = [{ from: '2025-05-01', to: '2020-01-01' }]
  expect(inputs.safeParse({ due_on: '2023-01-01', suspensions }).success).toBe(false)
})
