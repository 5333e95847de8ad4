import { type Article, type Step, toNumber } from './calculator.ts'
import { daysBetween } from './days.ts'
import { type Fraction, fraction, min, zero } from './fraction.ts'
import { cite, citeFormer, civilCodeFrom } from './laws.ts'
import { capOn, isBeforeReform, reform } from './loan-cap.ts'
import { lprChangesBetween, lprOn } from './lpr.ts'

export interface Loan {
  principal: number
  made_on: string
  from: string
  to: string
  filed_on: string
  rate?: number | undefined
  overdue_from?: string | undefined
  overdue_rate?: number | undefined
  penalty_percent_per_day?: number | undefined
  withheld?: number | undefined
  payments?: { on: string; amount: number }[] | undefined
  renewals?: { on: string; principal: number; rate: number }[] | undefined
}

export interface Segment {
  from: string
  to: string
  days: number
  rate: number
  interest: number
}

/** How overdue interest runs where no rate was agreed. */
export type OverdueReading = 'fixed' | 'floating' | 'former'

/** Rate for default without an agreed rate up to the reform, by the interpretation of that time. */
const formerOverdueRate = fraction(6)

/** The terms in force on a day: the last new IOU, else the first contract. */
function termsOn(day: string, loan: Loan) {
  const renewal = loan.renewals
    ?.filter(({ on }) => on <= day)
    .sort((a, b) => (a.on < b.on ? -1 : 1))
    .at(-1)
  return renewal
    ? { rate: renewal.rate || undefined, made_on: renewal.on, filed_on: loan.filed_on }
    : { rate: loan.rate, made_on: loan.made_on, filed_on: loan.filed_on }
}

/** The rate claimed on a day, before the cap. */
function claimedRate(day: string, loan: Loan, reading: OverdueReading): Fraction {
  const { rate } = termsOn(day, loan)
  if (!loan.overdue_from || day < loan.overdue_from) return fraction(rate ?? 0)
  const penalty = fraction(loan.penalty_percent_per_day ?? 0).times(365)
  const overdue = loan.overdue_rate ?? rate
  if (overdue !== undefined) return fraction(overdue).plus(penalty)
  if (loan.penalty_percent_per_day) return penalty
  if (reading === 'former' && day < reform) return formerOverdueRate
  return lprOn(reading === 'floating' ? day : loan.overdue_from)
}

/** Interest from day to day; payments go to interest first, then to the principal (民法典 561). */
export function accrue(loan: Loan, reading: OverdueReading) {
  let principal = fraction(loan.principal)
    .minus(fraction(loan.withheld ?? 0))
    .cents()
  let interest = zero
  const segments: Segment[] = []
  const steps: Step[] = loan.withheld ? [withheldStep(loan, principal)] : []

  /** Applies what happens on a day, after the interest up to it. */
  const settleDay = (day: string) => {
    for (const { on, amount } of loan.payments ?? []) {
      if (on !== day) continue
      const paid = fraction(amount).cents()
      const toInterest = min(interest, paid)
      const toPrincipal = min(principal, paid.minus(toInterest))
      interest = interest.minus(toInterest)
      principal = principal.minus(toPrincipal)
      steps.push(paymentStep(day, amount, toInterest, toPrincipal, principal))
    }
    for (const renewal of loan.renewals ?? []) {
      if (renewal.on !== day) continue
      principal = min(fraction(renewal.principal).cents(), principal.plus(interest))
      interest = zero
      steps.push(renewalStep(renewal, principal))
    }
  }

  const days = boundaries(loan, reading)
  days.forEach((from, index) => {
    settleDay(from)
    const to = days[index + 1]
    if (!to) return
    const count = daysBetween(from, to)
    const cap = capOn(from, termsOn(from, loan))
    const rate = min(claimedRate(from, loan, reading), cap)
    const accrued = principal.times(rate).over(100).times(count).over(365).cents()
    interest = interest.plus(accrued)
    const segment = { from, to, days: count, rate: toNumber(rate), interest: toNumber(accrued) }
    segments.push(segment)
    steps.push(segmentStep(segment, toNumber(principal), loan))
  })
  return { principal, interest, segments, steps }
}

/** Days on which the rate, the principal or the cap may change, in order. */
function boundaries(loan: Loan, reading: OverdueReading): string[] {
  const { from, to, overdue_from: overdue } = loan
  const inside = [
    ...(overdue ? [overdue] : []),
    ...(loan.made_on < reform ? [reform] : []),
    ...(loan.payments ?? []).map(({ on }) => on),
    ...(loan.renewals ?? []).map(({ on }) => on),
    ...(reading === 'floating' && overdue ? lprChangesBetween(overdue, to) : []),
  ].filter((day) => from < day && day < to)
  return [...new Set([from, ...inside.sort(), to])]
}

const withheldStep = (loan: Loan, principal: Fraction): Step => ({
  title: { zh: '实际出借本金', en: 'Principal actually lent' },
  articles: [
    ...cite('privateLending', '第二十六条'),
    ...(loan.made_on < civilCodeFrom
      ? citeFormer('contracts', '第二百条')
      : cite('civilCode', '第六百七十条')),
  ],
  formula: 'principal − withheld',
  inputs: { principal: loan.principal, withheld: loan.withheld },
  result: toNumber(principal),
})

/** Articles that limit the rate of a day: the cap, and the transition for contracts from before it. */
export function capArticles(
  day: string,
  contract: { made_on: string; filed_on: string },
): Article[] {
  if (isBeforeReform(day, contract)) return cite('privateLending', '第三十一条')
  return cite('privateLending', '第二十五条', ...(contract.made_on < reform ? ['第三十一条'] : []))
}

const segmentStep = (segment: Segment, principal: number, loan: Loan): Step => {
  const overdue = Boolean(loan.overdue_from && segment.from >= loan.overdue_from)
  return {
    title: overdue
      ? { zh: '逾期利息', en: 'Overdue interest' }
      : { zh: '借期利息', en: 'Interest within the term' },
    articles: segmentArticles(segment, loan, overdue),
    formula: 'principal × rate ÷ 100 × days ÷ 365',
    inputs: {
      ...{ principal, rate: segment.rate },
      ...{ from: segment.from, to: segment.to, days: segment.days },
    },
    result: segment.interest,
  }
}

/** Articles behind the rate of a segment: no interest without an agreement, overdue interest, penalties, the cap. */
function segmentArticles(segment: Segment, loan: Loan, overdue: boolean): Article[] {
  const terms = termsOn(segment.from, loan)
  const cap = capArticles(segment.from, terms)
  if (!overdue) return terms.rate ? cap : cite('privateLending', '第二十四条')
  return [
    ...cite(
      'privateLending',
      '第二十八条',
      ...(loan.penalty_percent_per_day ? ['第二十九条'] : []),
    ),
    ...cap.filter(({ article }) => article === '第三十一条'),
  ]
}

const paymentStep = (
  on: string,
  amount: number,
  toInterest: Fraction,
  toPrincipal: Fraction,
  left: Fraction,
): Step => ({
  title: { zh: '还款抵充', en: 'Allocation of a payment' },
  articles:
    on < civilCodeFrom
      ? citeFormer('contractInterpretation2', '第二十一条')
      : cite('civilCode', '第五百六十一条'),
  formula: 'interest first, then principal',
  inputs: { on, amount, interest: toNumber(toInterest), principal: toNumber(toPrincipal) },
  result: toNumber(left),
})

const renewalStep = (renewal: { on: string; principal: number }, recognized: Fraction): Step => ({
  title: { zh: '重新出具债权凭证的本金', en: 'Principal of a new IOU' },
  articles: cite('privateLending', '第二十七条'),
  formula: 'min(stated principal, principal + interest up to the cap)',
  inputs: { on: renewal.on, stated: renewal.principal },
  result: toNumber(recognized),
})
