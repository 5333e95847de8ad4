import { formatMoney } from '../_shared/amounts.ts'
import type { Language } from '../_shared/language.ts'
import type { CalculationResult } from './calculate.ts'
import { resultLabel } from './result-labels.ts'

/** Lists the results for the person: each figure of each calculation, then the claims. */
export function renderCalculations(
  { calculations, claims }: CalculationResult,
  language: Language,
): string {
  const figures = calculations.map(({ title, result }) => {
    const values = Object.entries(result).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [`${resultLabel(name, language)} ${formatMoney(value)}`]
        : typeof value === 'string'
          ? [`${resultLabel(name, language)} ${value}`]
          : [],
    )
    return language === 'zh'
      ? `- ${title.zh}：${values.join('，')}`
      : `- ${title.en}: ${values.join(', ')}`
  })
  const sums = claims.map(({ name, amount }) =>
    amount === null ? `- ${name}` : `- ${name}: ${formatMoney(amount)}`,
  )
  return [
    { zh: '计算结果', en: 'Calculations' }[language],
    ...figures,
    ...(sums.length > 0 ? [{ zh: '请求金额（元）', en: 'Claims (CNY)' }[language], ...sums] : []),
  ].join('\n')
}
