import * as z from 'zod'
import { Amount, Day, defineCalculator, type Outcome, type Step, toNumber } from './calculator.ts'
import { addDays, addMonths, monthsBetween } from './days.ts'
import { fraction, min } from './fraction.ts'
import { cite, laborContractLawFrom as lawInForce } from './laws.ts'

/** Years of service by article 47: six months count as one year, less as half a year. */
function yearsOfService(start: string, end: string): number {
  const months = monthsBetween(start, addDays(end, 1))
  // The day after an exact number of months opens no further half-year by itself; a first day does.
  const rest = months === 0 || addMonths(start, months) < end ? 1 : 0
  const years = Math.floor(months / 12)
  const further = months % 12
  if (further >= 6) return years + 1
  return further + rest > 0 ? years + 0.5 : years
}

/** Severance pay (N), compensation for unlawful termination (2N) and payment in lieu of notice (N+1). */
export const severance = defineCalculator({
  id: 'severance',
  title: { zh: '经济补偿与赔偿金', en: 'Severance and compensation' },
  inputs: z
    .strictObject({
      start: Day.describe('First day of employment.'),
      end: Day.describe('Last day of employment.'),
      average_wage: Amount.describe('Average monthly wage of the last twelve months.'),
      ground: z.enum(['agreed', 'unlawful', 'article_40']),
      local_average_wage: Amount.optional().describe(
        'Average monthly wage of the city, last year.',
      ),
      last_month_wage: Amount.optional().describe('Wage of the month before, for N+1.'),
    })
    .refine(({ start, end }) => start <= end, {
      message: 'Must not be before `start`.',
      path: ['end'],
    })
    .refine(({ end }) => end >= lawInForce, {
      message: `The Labor Contract Law applies from ${lawInForce}.`,
      path: ['end'],
    }),
  articles: [
    ...cite('laborContract', '第四十条', '第四十六条', '第四十七条', '第八十七条', '第九十七条'),
    ...cite('laborContractRules', '第二十条', '第二十五条'),
  ],
  calculate(input) {
    const main = pay(
      input,
      input.ground === 'unlawful' ? input.start : laterDate(input.start, lawInForce),
    )
    const alternatives = []
    if (input.start < lawInForce && input.ground !== 'unlawful') {
      const label = { zh: '2008年以前的年限一并计算', en: 'Service before 2008 counted too' }
      // Article 97 refers to the rules of that time for the years before.
      alternatives.push({ label, ...pay(input, input.start) })
    }
    if (input.ground === 'article_40' && input.last_month_wage === undefined) {
      const label = {
        zh: '以平均工资代替上一个月工资',
        en: 'Average wage in place of the last month',
      }
      const assumed = { ...input, last_month_wage: input.average_wage }
      alternatives.push({ label, ...pay(assumed, laterDate(input.start, lawInForce)) })
    }
    return { ...main, alternatives }
  },
})

const laterDate = (a: string, b: string) => (a > b ? a : b)

interface Input {
  start: string
  end: string
  average_wage: number
  ground: 'agreed' | 'unlawful' | 'article_40'
  local_average_wage?: number | undefined
  last_month_wage?: number | undefined
}

function pay(input: Input, countedFrom: string): Outcome {
  const { start, end, average_wage, ground, local_average_wage: local, last_month_wage } = input
  const average = fraction(average_wage)
  const ceiling = local === undefined ? undefined : fraction(local).times(3)
  const capped = ceiling !== undefined && average.isAbove(ceiling)
  const base = capped ? ceiling.cents() : average.cents()
  const served = yearsOfService(countedFrom, end)
  const years = capped ? toNumber(min(fraction(served), fraction(12))) : served
  const n = base.times(years).cents()
  const twoN = ground === 'unlawful' ? toNumber(n.times(2)) : null
  const nPlusOne =
    ground === 'article_40' && last_month_wage !== undefined
      ? toNumber(n.plus(fraction(last_month_wage)).cents())
      : null
  const steps: Step[] = [
    {
      title: { zh: '工作年限', en: 'Years of service' },
      articles: [
        ...cite('laborContract', '第四十七条'),
        ...(ground === 'unlawful' ? cite('laborContractRules', '第二十五条') : []),
        ...(ground !== 'unlawful' && start < lawInForce ? cite('laborContract', '第九十七条') : []),
      ],
      formula: 'full years; six months or more count as one, less as half; at most 12 where capped',
      inputs: { from: countedFrom, to: end, capped },
      result: years,
    },
    {
      title: { zh: '月工资基数', en: 'Monthly base' },
      articles: cite('laborContract', '第四十七条'),
      formula: 'average wage, at most three times the local average',
      inputs: { average_wage, local_average_wage: local ?? null },
      result: toNumber(base),
    },
    {
      title: { zh: '经济补偿（N）', en: 'Severance (N)' },
      articles: cite('laborContract', '第四十七条'),
      formula: 'base × years',
      inputs: { base: toNumber(base), years },
      result: toNumber(n),
    },
    ...(twoN === null ? [] : [unlawfulStep(toNumber(n), twoN)]),
    ...(nPlusOne === null ? [] : [noticeStep(toNumber(n), last_month_wage!, nPlusOne)]),
  ]
  return {
    result: { years, base: toNumber(base), n: toNumber(n), two_n: twoN, n_plus_one: nPlusOne },
    steps,
  }
}

const unlawfulStep = (n: number, result: number): Step => ({
  title: { zh: '违法解除赔偿金（2N）', en: 'Compensation for unlawful termination (2N)' },
  articles: cite('laborContract', '第八十七条'),
  formula: 'N × 2',
  inputs: { n },
  result,
})

const noticeStep = (n: number, wage: number, result: number): Step => ({
  title: { zh: '代通知金（N+1）', en: 'Payment in lieu of notice (N+1)' },
  articles: [...cite('laborContract', '第四十条'), ...cite('laborContractRules', '第二十条')],
  formula: 'N + wage of the last month',
  inputs: { n, last_month_wage: wage },
  result,
})
