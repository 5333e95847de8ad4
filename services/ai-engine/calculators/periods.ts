import * as z from 'zod'
import { type Article, Day, defineCalculator, type Step } from './calculator.ts'
import { addDays, addMonths, nextWorkingDay } from './days.ts'
import { cite } from './laws.ts'

const Holidays = z
  .array(Day)
  .max(2_000)
  .optional()
  .describe('Public holidays beside weekends, as dates.')

function rolloverStep(date: string, last: string, articles: Article[]): Step {
  return {
    title: { zh: '顺延至工作日', en: 'Roll over to a working day' },
    articles,
    formula: 'first day on or after it that is no day off',
    inputs: { date },
    result: last,
  }
}

/** End of the limitation period with interruptions and suspensions. */
export const limitation = defineCalculator({
  id: 'limitation',
  title: { zh: '诉讼时效', en: 'Limitation period' },
  inputs: z.object({
    due_on: Day.describe('Day on which the debt was due or the creditor knew of the breach.'),
    years: z.int().min(1).max(20).default(3),
    interruptions: z.array(Day).max(200).optional(),
    suspensions: z
      .array(
        z.object({ from: Day, to: Day }).refine(({ from, to }) => from <= to, {
          message: 'Must not be before `from`.',
          path: ['to'],
        }),
      )
      .max(50)
      .optional(),
    holidays: Holidays,
  }),
  articles: [
    ...cite('civilCode', '第一百八十八条', '第一百九十四条', '第一百九十五条'),
    ...cite('civilCode', '第二百零一条', '第二百零二条', '第二百零三条'),
    ...cite('temporalScope', '第一条'),
  ],
  calculate({ due_on, years, interruptions = [], suspensions = [], holidays = [] }) {
    const first = runPeriod(due_on, years)
    let { expires } = first
    const steps: Step[] = [
      {
        title: { zh: '时效期间', en: 'Period' },
        articles: [...first.articles, ...cite('civilCode', '第二百零一条', '第二百零二条')],
        formula: 'the corresponding day after the years; the first day does not count',
        inputs: { due_on, years: first.years },
        result: expires,
      },
    ]
    const events = [
      ...interruptions.map((day) => ({ day, suspension: undefined })),
      ...suspensions.map((suspension) => ({ day: suspension.from, suspension })),
    ].sort((a, b) => (a.day < b.day ? -1 : 1))
    for (const { day, suspension } of events) {
      if (day > expires) continue
      if (!suspension) {
        if (day < due_on) continue
        const period = runPeriod(day, years)
        expires = period.expires
        steps.push(interruptionStep(day, period.years, expires))
      } else if (suspension.to >= addMonths(expires, -6)) {
        expires = addMonths(suspension.to, 6)
        steps.push(suspensionStep(suspension, expires))
      }
    }
    const last = nextWorkingDay(expires, holidays)
    steps.push(rolloverStep(expires, last, cite('civilCode', '第二百零三条')))
    return { result: { expires_on: expires, last_day: last }, steps }
  },
})

/** Day on which the general period of three years took effect. A period that had not ended was prolonged to it. */
const threeYearsSince = '2017-10-01'

/**
 * End of a period that begins on a day. The general period was two years (民法通则 135) if these ended before the
 * change; the law of that time still applies to it.
 */
function runPeriod(from: string, years: number) {
  const twoYears = addMonths(from, 24)
  return years === 3 && twoYears < threeYearsSince
    ? { years: 2, expires: twoYears, articles: cite('temporalScope', '第一条') }
    : {
        years,
        expires: addMonths(from, years * 12),
        articles: cite('civilCode', '第一百八十八条'),
      }
}

const interruptionStep = (day: string, years: number, result: string): Step => ({
  title: { zh: '中断后重新计算', en: 'Period runs anew after an interruption' },
  articles: cite('civilCode', '第一百九十五条'),
  formula: 'the corresponding day after the years from the interruption',
  inputs: { interrupted_on: day, years },
  result,
})

const suspensionStep = (suspension: { from: string; to: string }, result: string): Step => ({
  title: { zh: '中止后再计六个月', en: 'Six months after a suspension' },
  articles: cite('civilCode', '第一百九十四条'),
  formula: 'six months after the obstacle ended, if it reached into the last six months',
  inputs: { from: suspension.from, to: suspension.to },
  result,
})

const deadlines = {
  guarantee: {
    title: { zh: '保证期间六个月', en: 'Guarantee period of six months' },
    end: (from: string) => addMonths(from, 6),
    articles: cite('civilCode', '第六百九十二条'),
  },
  enforcement: {
    title: { zh: '申请执行期间二年', en: 'Two years to apply for enforcement' },
    end: (from: string) => addMonths(from, 24),
    articles: cite('civilProcedure', '第二百五十条'),
  },
  sue_after_award: {
    title: { zh: '不服仲裁裁决起诉期限十五日', en: 'Fifteen days to sue after an award' },
    end: (from: string) => addDays(from, 15),
    articles: cite('arbitration', '第四十八条', '第五十条'),
  },
  appeal_judgment: {
    title: { zh: '判决上诉期十五日', en: 'Fifteen days to appeal a judgment' },
    end: (from: string) => addDays(from, 15),
    articles: cite('civilProcedure', '第一百七十一条'),
  },
  appeal_ruling: {
    title: { zh: '裁定上诉期十日', en: 'Ten days to appeal a ruling' },
    end: (from: string) => addDays(from, 10),
    articles: cite('civilProcedure', '第一百七十一条'),
  },
}
const kinds = Object.keys(deadlines) as (keyof typeof deadlines)[]

/** Last day of a procedural or contractual period. */
export const deadline = defineCalculator({
  id: 'deadline',
  title: { zh: '期限届满日', en: 'Deadline' },
  inputs: z.object({
    kind: z.enum(kinds as [keyof typeof deadlines, ...(keyof typeof deadlines)[]]),
    from: Day.describe('Day of the event; it does not count.'),
    holidays: Holidays,
  }),
  articles: [
    ...cite('civilCode', '第二百零一条', '第二百零二条', '第二百零三条', '第六百九十二条'),
    ...cite('civilProcedure', '第八十五条', '第一百七十一条', '第二百五十条'),
    ...cite('arbitration', '第四十八条', '第五十条'),
  ],
  calculate({ kind, from, holidays = [] }) {
    const { title, end, articles } = deadlines[kind]
    const date = end(from)
    const last = nextWorkingDay(date, holidays)
    const rule =
      kind === 'guarantee'
        ? cite('civilCode', '第二百零三条')
        : cite('civilProcedure', '第八十五条')
    const step: Step = {
      title,
      articles,
      formula: 'the day of the event does not count',
      inputs: { from },
      result: date,
    }
    return { result: { last_day: last }, steps: [step, rolloverStep(date, last, rule)] }
  },
})
