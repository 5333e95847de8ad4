import * as z from 'zod'
import {
  Amount,
  Day,
  defineCalculator,
  type Outcome,
  Rate,
  type Step,
  toNumber,
} from './calculator.ts'
import { fraction, min, sum } from './fraction.ts'
import { cite } from './laws.ts'
import { accrue, type Loan } from './loan-accrual.ts'
import { capNow, reform } from './loan-cap.ts'
import { lprTable } from './lpr.ts'

const Payment = z.object({ on: Day, amount: Amount })
const Renewal = z.object({ on: Day, principal: Amount, rate: Rate })

const Inputs = z
  .object({
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
  ],
  tables: [lprTable],
  calculate(input) {
    const loan: Loan = { ...input, filed_on: input.filed_on ?? input.to }
    const main = settle(loan, 'fixed')
    // The interpretation says "the LPR of that time": of the first day of default, or of each day.
    const byLpr =
      loan.overdue_from && !loan.overdue_rate && !loan.rate && !loan.penalty_percent_per_day
    if (!byLpr || loan.overdue_from! >= loan.to || loan.to > lprTable.through) return main
    const label = { zh: '逾期利息按各期LPR浮动计算', en: 'Overdue interest by the LPR of each day' }
    return { ...main, alternatives: [{ label, ...settle(loan, 'floating') }] }
  },
})

function settle(loan: Loan, lpr: 'fixed' | 'floating'): Outcome {
  const cap = capNow(loan)
  const { segments, steps, interest, principal } = accrue(loan, lpr)
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
  articles: cite('privateLending', '第二十五条', ...(loan.made_on < reform ? ['第三十一条'] : [])),
  formula: loan.filed_on < reform ? '24' : 'LPR × 4',
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
