import * as z from 'zod'
import { Fault } from '../../_kit/fault.ts'
import { Amount, Day, defineCalculator, type Step, toNumber } from './calculator.ts'
import { daysBetween, today } from './days.ts'
import { fraction, min, sum } from './fraction.ts'
import { cite } from './laws.ts'
import { lprOn, lprTable } from './lpr.ts'

const inOrder = { message: 'Must not be before `from`.', path: ['to'] }

/** Loss from late payment of a price where no penalty was agreed. */
export const latePayment = defineCalculator({
  id: 'late_payment',
  title: { zh: '逾期付款损失', en: 'Loss from late payment' },
  inputs: z
    .strictObject({ price: Amount, from: Day.describe('Day of the breach.'), to: Day })
    .refine(({ from, to }) => from <= to, inOrder),
  articles: cite('sales', '第十八条'),
  tables: [lprTable],
  calculate({ price, from, to }) {
    const days = daysBetween(from, to)
    const lpr = lprOn(from)
    const loss = (factor: number) =>
      fraction(price).times(lpr).times(factor).over(100).times(days).over(365).cents()
    const [low, high] = [toNumber(loss(1.3)), toNumber(loss(1.5))]
    const step = (percent: number, result: number): Step => ({
      title: { zh: `LPR加计${percent}%`, en: `LPR plus ${percent} %` },
      articles: cite('sales', '第十八条'),
      formula: `price × LPR × ${1 + percent / 100} ÷ 100 × days ÷ 365`,
      inputs: { price, lpr: toNumber(lpr), days },
      result,
    })
    return { result: { days, low, high }, steps: [step(30, low), step(50, high)] }
  },
})

/** Day from which the doubled part is 0.0175 % a day (法释〔2014〕8号, article 7). */
const fixedRateFrom = '2014-08-01'

/** Doubled interest for delayed performance of a judgment. */
export const delayedPerformance = defineCalculator({
  id: 'delayed_performance',
  title: { zh: '迟延履行期间的加倍利息', en: 'Doubled interest for delayed performance' },
  inputs: z
    .strictObject({
      amount: Amount.describe('Adjudged debt without ordinary interest, in yuan.'),
      period_ended_on: Day.describe('Last day of the period for performance.'),
      until: Day.optional().describe('Default: today.'),
      payments: z
        .array(z.strictObject({ on: Day, amount: Amount }))
        .max(200)
        .optional(),
    })
    .refine(({ period_ended_on, until }) => period_ended_on <= (until ?? today()), {
      message: 'Must not be before `period_ended_on`.',
      path: ['until'],
    }),
  articles: [
    ...cite('civilProcedure', '第二百六十四条'),
    ...cite('delayedInterest', '第一条', '第二条', '第三条', '第四条', '第七条'),
  ],
  calculate({ amount, period_ended_on: start, until = today(), payments = [] }) {
    if (start < fixedRateFrom) {
      throw new Fault('RATE_TABLE_ENDS', `Delays before ${fixedRateFrom} follow other rates.`, {
        data: { from: fixedRateFrom, date: start, through: null },
      })
    }
    const paidOn = payments.map(({ on }) => on).filter((on) => start < on && on < until)
    const days = [...new Set([start, ...paidOn.sort(), until])]
    const segments = days.slice(0, -1).map((from, index) => {
      const to = days[index + 1]!
      const paid = sum(payments.filter(({ on }) => on <= from).map((each) => fraction(each.amount)))
      const debt = fraction(amount).minus(min(paid, fraction(amount)))
      const count = daysBetween(from, to)
      const interest = toNumber(debt.times(0.000175).times(count).cents())
      return { from, to, days: count, amount: toNumber(debt), interest }
    })
    const interest = toNumber(sum(segments.map((segment) => fraction(segment.interest))))
    const steps = segments.map(
      (segment): Step => ({
        title: { zh: '加倍部分债务利息', en: 'Doubled part of the interest' },
        articles: cite(
          'delayedInterest',
          ...['第一条', '第二条', '第三条'],
          // A payment goes to the adjudged debt first.
          ...(payments.length > 0 ? ['第四条'] : []),
        ),
        formula: 'unpaid debt × 0.0175 % × days',
        inputs: { amount: segment.amount, from: segment.from, to: segment.to, days: segment.days },
        result: segment.interest,
      }),
    )
    return { result: { interest, segments }, steps }
  },
})
