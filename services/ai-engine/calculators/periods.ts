import * as z from 'zod'
import { invalid } from '../../_kit/fault.ts'
import { type Article, Day, defineCalculator, type Outcome, type Title } from './calculator.ts'
import { addDays, addMonths, type Calendar } from './days.ts'
import { cite, citeFormer, civilCodeFrom } from './laws.ts'
import { lawOn } from './limitation-law.ts'
import { calendarInputs, rollOver } from './rollover.ts'

interface Deadline {
  title: Title
  end(from: string): string
  articles: Article[]
}

const kinds = [
  'guarantee',
  'enforcement',
  'sue_after_award',
  'appeal_judgment',
  'appeal_ruling',
] as const
type Kind = (typeof kinds)[number]

const guaranteeTitle = { zh: '保证期间六个月', en: 'Guarantee period of six months' }
const procedural: Record<Exclude<Kind, 'guarantee'>, Deadline> = {
  enforcement: {
    title: { zh: '申请执行期间二年', en: 'Two years to apply for enforcement' },
    end: (from) => addMonths(from, 24),
    articles: cite('civilProcedure', '第二百五十条'),
  },
  sue_after_award: {
    title: { zh: '不服仲裁裁决起诉期限十五日', en: 'Fifteen days to sue after an award' },
    end: (from) => addDays(from, 15),
    articles: cite('arbitration', '第四十八条', '第五十条'),
  },
  appeal_judgment: {
    title: { zh: '判决上诉期十五日', en: 'Fifteen days to appeal a judgment' },
    end: (from) => addDays(from, 15),
    articles: cite('civilProcedure', '第一百七十一条'),
  },
  appeal_ruling: {
    title: { zh: '裁定上诉期十日', en: 'Ten days to appeal a ruling' },
    end: (from) => addDays(from, 10),
    articles: cite('civilProcedure', '第一百七十一条'),
  },
}
/** Appeal of a party without a domicile in China. */
const fromAbroad: Deadline = {
  title: { zh: '境外当事人上诉期三十日', en: 'Thirty days to appeal from abroad' },
  end: (from) => addDays(from, 30),
  articles: cite('civilProcedure', '第二百八十六条'),
}
/** No period agreed. Before the Civil Code the former law gave the same six months. */
const guarantee = (from: string): Deadline => ({
  title: guaranteeTitle,
  end: () => addMonths(from, 6),
  articles:
    from < civilCodeFrom
      ? [
          ...citeFormer('security', '第二十五条', '第二十六条'),
          ...cite('temporalScope', '第二十七条'),
        ]
      : cite('civilCode', '第六百九十二条'),
})
/** An unclear agreement, such as "until the debt is paid", in a contract from before the Civil Code. */
const unclearGuarantee: Deadline = {
  title: { zh: '保证期间二年', en: 'Guarantee period of two years' },
  end: (from) => addMonths(from, 24),
  articles: [
    ...citeFormer('securityInterpretation', '第三十二条'),
    ...cite('temporalScope', '第二十七条'),
  ],
}

/** Last day of a procedural or contractual period. */
export const deadline = defineCalculator({
  id: 'deadline',
  title: { zh: '期限届满日', en: 'Deadline' },
  inputs: z.strictObject({
    kind: z.enum(kinds),
    from: Day.describe('Day of the event; it does not count.'),
    abroad: z
      .boolean()
      .optional()
      .describe('The appealing party has no domicile in China: thirty days.'),
    ...calendarInputs,
  }),
  articles: [
    ...cite('civilCode', '第二百零一条', '第二百零二条', '第二百零三条', '第六百九十二条'),
    ...cite('temporalScope', '第二十七条'),
    ...citeFormer('security', '第二十五条', '第二十六条'),
    ...citeFormer('securityInterpretation', '第三十二条'),
    ...cite('civilProcedure', '第八十五条', '第一百七十一条', '第二百五十条', '第二百八十六条'),
    ...cite('arbitration', '第四十八条', '第五十条'),
  ],
  calculate({ kind, from, abroad, ...calendar }) {
    if (abroad && !kind.startsWith('appeal_')) {
      throw invalid([{ path: 'abroad', message: 'Applies to appeals only.' }])
    }
    if (kind !== 'guarantee') {
      return lastDay(from, abroad ? fromAbroad : procedural[kind], calendar, () =>
        cite('civilProcedure', '第八十五条'),
      )
    }
    const byCivilLaw = (date: string) => lawOn(date).rollover
    const main = lastDay(from, guarantee(from), calendar, byCivilLaw)
    if (from >= civilCodeFrom) return main
    const label = {
      zh: '约定不明的，二年（民法典施行前的保证合同）',
      en: 'Two years where the agreement is unclear and older than the Civil Code',
    }
    const unclear = lastDay(from, unclearGuarantee, calendar, byCivilLaw)
    return { ...main, alternatives: [{ label, ...unclear }] }
  },
})

function lastDay(
  from: string,
  { title, end, articles }: Deadline,
  calendar: Calendar,
  rolloverArticles: (date: string) => Article[],
): Outcome {
  const date = end(from)
  const { last, step } = rollOver(date, calendar, rolloverArticles(date))
  const formula = 'the day of the event does not count'
  return {
    result: { last_day: last },
    steps: [{ title, articles, formula, inputs: { from }, result: date }, step],
  }
}
