import * as z from 'zod'
import { Day, defineCalculator, type Outcome, type Step } from './calculator.ts'
import { addMonths, nextWorkingDay } from './days.ts'
import { cite, citeFormer, civilRulesFrom } from './laws.ts'
import {
  civilPrinciples,
  type LimitationLaw,
  laborArbitration,
  lawOn,
  type Suspension,
} from './limitation-law.ts'
import { calendarInputs, rollOver } from './rollover.ts'

const Inputs = z.strictObject({
  due_on: Day.describe('Day on which the debt was due or the creditor knew of the breach.'),
  years: z.int().min(1).max(20).default(3),
  labor_arbitration: z
    .boolean()
    .optional()
    .describe('Arbitration of a labor dispute: one year. `years` does not apply.'),
  interruptions: z.array(Day).max(200).optional(),
  suspensions: z
    .array(
      z.strictObject({ from: Day, to: Day }).refine(({ from, to }) => from <= to, {
        message: 'Must not be before `from`.',
        path: ['to'],
      }),
    )
    .max(50)
    .optional(),
  ...calendarInputs,
})
type Claim = z.output<typeof Inputs>

/** End of the limitation period with interruptions and suspensions. */
export const limitation = defineCalculator({
  id: 'limitation',
  title: { zh: '诉讼时效', en: 'Limitation period' },
  inputs: Inputs,
  articles: [
    ...cite('civilCode', '第一百八十八条', '第一百九十四条', '第一百九十五条'),
    ...cite('civilCode', '第二百零一条', '第二百零二条', '第二百零三条'),
    ...cite('temporalScope', '第一条'),
    ...cite('arbitration', '第二十七条'),
    ...citeFormer('civilPrinciples', '第一百三十五条', '第一百三十九条', '第一百四十条'),
    ...citeFormer('civilRules', '第一百八十八条', '第一百九十四条', '第一百九十五条'),
  ],
  calculate(claim) {
    const days = [...new Set(claim.interruptions)].sort()
    const steps: Step[] = []
    let start = claim.due_on
    for (;;) {
      const period = runPeriod(start, claim)
      // A demand on the working day that the period is rolled over to is still in time.
      const end = nextWorkingDay(period.expires, claim)
      const next = days.find((day) => start < day && day <= end)
      const before = period.suspended.filter(({ from }) => !next || from < next)
      steps.push(
        start === claim.due_on ? periodStep(period) : interruptionStep(period, claim),
        ...before.map(suspensionStep),
      )
      if (!next) return endPeriod(period, claim, steps)
      start = next
    }
  },
})

type Period = ReturnType<typeof runPeriod>

/**
 * A period that begins on a day. The general period was two years if these ended before 2017-10-01; one that had
 * not ended was prolonged to three.
 */
function runPeriod(start: string, { years, labor_arbitration, suspensions = [] }: Claim) {
  const run = (count: number, lawFor: (day: string) => LimitationLaw) => {
    const ends = addMonths(start, count * 12)
    let expires = ends
    const suspended: (Suspension & { law: LimitationLaw; expires: string })[] = []
    for (const each of suspensions.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
      if (each.to <= start || each.from > expires) continue
      const law = lawFor(each.to)
      const later = law.suspend(expires, each)
      if (later > expires) suspended.push({ ...each, law, expires: later })
      expires = laterDate(expires, later)
    }
    return { start, years: count, ends, expires, suspended, law: lawFor(expires) }
  }
  if (labor_arbitration) return run(1, () => laborArbitration(start))
  const former = run(2, () => civilPrinciples)
  return years === 3 && former.expires < civilRulesFrom ? former : run(years, lawOn)
}

const laterDate = (a: string, b: string) => (a > b ? a : b)

const periodStep = ({ start, years, ends, law }: Period): Step => ({
  title: { zh: '时效期间', en: 'Period' },
  articles: [...law.period, ...law.counting],
  formula: 'the corresponding day after the years; the first day does not count',
  inputs: { due_on: start, years },
  result: ends,
})

const interruptionStep = ({ start, years, ends, law }: Period, claim: Claim): Step => ({
  title: { zh: '中断后重新计算', en: 'Period runs anew after an interruption' },
  articles: claim.labor_arbitration ? law.interruption : lawOn(start).interruption,
  formula: 'the corresponding day after the years from the interruption',
  inputs: { interrupted_on: start, years },
  result: ends,
})

const suspensionStep = (suspended: Period['suspended'][number]): Step => ({
  title: { zh: '中止后的届满日', en: 'End after a suspension' },
  articles: suspended.law.suspension,
  formula: suspended.law.suspensionFormula,
  inputs: { from: suspended.from, to: suspended.to },
  result: suspended.expires,
})

/** Rolls the end over to a working day. Courts differ on whether interruptions may exceed twenty years. */
function endPeriod({ expires, law }: Period, claim: Claim, steps: Step[]): Outcome {
  const { last, step } = rollOver(expires, claim, law.rollover)
  const main = { result: { expires_on: expires, last_day: last }, steps: [...steps, step] }
  const longest = addMonths(claim.due_on, 20 * 12)
  if (claim.labor_arbitration || expires <= longest) return main
  const rolled = rollOver(longest, claim, law.rollover)
  const limit: Step = {
    title: { zh: '最长保护期间', en: 'Longest period' },
    articles: law.period,
    formula: 'twenty years from the injury',
    inputs: { due_on: claim.due_on },
    result: longest,
  }
  return {
    ...main,
    alternatives: [
      {
        label: { zh: '以二十年最长保护期间为限', en: 'At most twenty years' },
        result: { expires_on: longest, last_day: rolled.last },
        steps: [...steps, limit, rolled.step],
      },
    ],
  }
}
