import * as z from 'zod'
import {
  Amount,
  Day,
  defineCalculator,
  type Outcome,
  Rate,
  type Step,
  type Title,
  toNumber,
} from './calculator.ts'
import { fraction, min, sum } from './fraction.ts'
import { cite, citeFormer } from './laws.ts'
import { accrue, capArticles, type Loan, type OverdueReading } from './loan-accrual.ts'
import { capOn, isBeforeReform, reform } from './loan-cap.ts'
import { lprTable } from './lpr.ts'

const Payment = z.strictObject({ on: Day, amount: Amount })
const Renewal = z.strictObject({ on: Day, principal: Amount, rate: Rate })

const Inputs = z
  .strictObject({
    principal: Amount,
    made_on: Day.describe('Date of the contract.'),
    from: Day.describe('First day of interest.'),
    to: Day.describe('Day up to which interest is calculated.'),
    rate: Rate.optional().describe('Agreed rate in per cent a year. Absent: no interest agreed.'),
    filed_on: Day.optional().describe('Date of the action. Default: `to`.'),
    overdue_from: Day.optional().describe('First day of default.'),
    overdue_rate: Rate.optional().describe('Agreed overdue rate in per cent a year.'),
    penalty_percent_per_day: z.number().min(0).max(100).optional(),
    withheld: Amount.optional().describe('Interest deducted from the principal in advance.'),
    payments: z.array(Payment).max(200).optional(),
    renewals: z.array(Renewal).max(50).optional().describe('New IOUs that include old interest.'),
  })
  .superRefine((loan, context) => {
    const fault = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    if (loan.to < loan.from) fault(['to'], 'Must not be before `from`.')
    if (loan.from < loan.made_on) fault(['from'], 'Must not be before `made_on`.')
    if (loan.filed_on && loan.filed_on < loan.made_on) {
      fault(['filed_on'], 'Must not be before `made_on`.')
    }
    if ((loan.withheld ?? 0) > loan.principal) fault(['withheld'], 'Must not exceed `principal`.')
    if (loan.overdue_from && loan.overdue_from < loan.from) {
      fault(['overdue_from'], 'Must not be before `from`.')
    }
    for (const name of ['payments', 'renewals'] as const) {
      loan[name]?.forEach(({ on }, index) => {
        if (on < loan.from || on > loan.to)
          fault([name, index, 'on'], 'Must be from `from` to `to`.')
      })
    }
  })

/** Interest under a private loan with its cap, overdue interest and partial payments. */
export const loanInterest = defineCalculator({
  id: 'loan_interest',
  title: { zh: '民间借贷利息', en: 'Interest under a private loan' },
  inputs: Inputs,
  articles: [
    ...cite('privateLending', '第二十四条', '第二十五条', '第二十六条', '第二十七条'),
    ...cite('privateLending', '第二十八条', '第二十九条', '第三十一条'),
    ...cite('civilCode', '第五百六十一条', '第六百七十条', '第六百八十条'),
    ...citeFormer('contracts', '第二百条'),
    ...citeFormer('contractInterpretation2', '第二十一条'),
  ],
  tables: [lprTable],
  calculate(input) {
    // An interest of zero is none: the default is then compensated by the LPR as well.
    const loan: Loan = {
      ...input,
      rate: input.rate || undefined,
      filed_on: input.filed_on ?? input.to,
    }
    const main = settle(loan, 'fixed')
    const byLpr =
      loan.overdue_from &&
      loan.overdue_rate === undefined &&
      !loan.rate &&
      !loan.penalty_percent_per_day
    if (!byLpr || loan.overdue_from! >= loan.to) return main
    return {
      ...main,
      alternatives: listReadings(loan).map(([reading, label]) => ({
        label,
        ...settle(loan, reading),
      })),
    }
  },
})

/**
 * Other readings of "the LPR of that time" where no rate was agreed: the LPR of each day; and for a contract
 * from before the reform the 6 % of the interpretation of that time, up to the reform (31).
 */
function listReadings(loan: Loan): [OverdueReading, Title][] {
  const floating = {
    zh: '逾期利息按各期LPR浮动计算',
    en: 'Overdue interest by the LPR of each day',
  }
  const former = {
    zh: '2020年8月19日以前的逾期利息按当时的司法解释以年利率6%计算',
    en: 'Overdue interest up to 2020-08-19 at 6 %, by the interpretation of that time',
  }
  return [
    ...(loan.to <= lprTable.through ? [['floating', floating] as [OverdueReading, Title]] : []),
    ...(loan.made_on < reform && loan.overdue_from! < reform
      ? [['former', former] as [OverdueReading, Title]]
      : []),
  ]
}

function settle(loan: Loan, reading: OverdueReading): Outcome {
  const cap = capOn(loan.to, loan)
  const { segments, steps, interest, principal } = accrue(loan, reading)
  const total = principal.plus(interest)
  const limit = totalLimit(loan)
  const due = limit && total.isAbove(limit) ? limit : total
  const principalDue = min(principal, due)
  const interestDue = due.minus(principalDue)
  return {
    result: {
      interest: toNumber(interestDue),
      principal_due: toNumber(principalDue),
      total_due: toNumber(due),
      cap_rate: toNumber(cap),
      segments,
    },
    steps: [
      capStep(loan, toNumber(cap)),
      ...steps,
      ...limitSteps(limit && toNumber(limit), toNumber(due)),
    ],
  }
}

/** The new IOUs never bring more than the first principal with interest on it at the cap (27). */
function totalLimit(loan: Loan) {
  if (!loan.renewals?.length) return undefined
  const { payments, ...unpaid } = loan
  const atCap = { ...unpaid, rate: 10_000, overdue_rate: undefined, renewals: undefined }
  const { interest, principal } = accrue(atCap, 'fixed')
  const paid = sum((payments ?? []).map(({ amount }) => fraction(amount)))
  const limit = principal.plus(interest).minus(paid)
  return limit.isAbove(0) ? limit : fraction(0)
}

const capStep = (loan: Loan, cap: number): Step => ({
  title: { zh: '利率上限', en: 'Cap on the rate' },
  articles: capArticles(loan.to, loan),
  formula: isBeforeReform(loan.to, loan) ? '24' : 'LPR × 4',
  inputs: { made_on: loan.made_on, ...(loan.made_on < reform && { filed_on: loan.filed_on }) },
  result: cap,
})

const limitSteps = (limit: number | undefined, due: number): Step[] =>
  limit === undefined
    ? []
    : [
        {
          title: { zh: '本息总额上限', en: 'Limit of principal and interest' },
          articles: cite('privateLending', '第二十七条'),
          formula: 'min(total, first principal + interest on it at the cap − payments)',
          inputs: { limit },
          result: due,
        },
      ]
