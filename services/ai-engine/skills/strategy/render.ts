import { formatMoney } from '../_shared/amounts.ts'
import type { Language } from '../_shared/language.ts'
import type { Strategy } from './strategies.ts'

/** Shows the recommended strategy: its steps, cost and last day. */
export function renderStrategy({ name, steps, cost, last_day }: Strategy, language: Language) {
  const title = { zh: '建议的策略：', en: 'Recommended strategy: ' }[language]
  const fee = cost && {
    zh: `- 诉讼费约 ${formatMoney(cost.high)} 元`,
    en: `- Court fee: about CNY ${formatMoney(cost.high)}`,
  }
  const limit = last_day && {
    zh: `- 时效最后一日：${last_day}`,
    en: `- Last day of the limitation period: ${last_day}`,
  }
  return [
    `${title}${name}`,
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...(fee ? [fee[language]] : []),
    ...(limit ? [limit[language]] : []),
  ].join('\n')
}
