import type { Language } from '../_shared/language.ts'

/** Names of the figures in the results of the calculators. */
const labels: Record<string, Record<Language, string>> = {
  amount: { zh: '金额', en: 'amount' },
  base: { zh: '计算基数', en: 'base' },
  cap_rate: { zh: '利率上限（%）', en: 'highest rate (%)' },
  commercial: { zh: '商业险', en: 'commercial insurance' },
  compulsory: { zh: '交强险', en: 'compulsory insurance' },
  daily: { zh: '日工资', en: 'wage per day' },
  days: { zh: '天数', en: 'days' },
  expires_on: { zh: '届满日', en: 'expires on' },
  extra: { zh: '应补金额', en: 'amount to be added' },
  fee: { zh: '费用', en: 'fee' },
  from: { zh: '起始日', en: 'from' },
  grant: { zh: '补助金', en: 'grant' },
  high: { zh: '最高', en: 'at most' },
  hourly: { zh: '小时工资', en: 'wage per hour' },
  interest: { zh: '利息', en: 'interest' },
  last_day: { zh: '最后一日', en: 'last day' },
  low: { zh: '最低', en: 'at least' },
  months: { zh: '月数', en: 'months' },
  n: { zh: '经济补偿（N）', en: 'severance (N)' },
  n_plus_one: { zh: '含代通知金（N+1）', en: 'with pay in lieu of notice (N+1)' },
  overtime: { zh: '加班工资', en: 'overtime pay' },
  principal_due: { zh: '应还本金', en: 'principal due' },
  remaining: { zh: '其余部分', en: 'remainder' },
  to: { zh: '截止日', en: 'to' },
  total_due: { zh: '本息合计', en: 'total due' },
  two_n: { zh: '赔偿金（2N）', en: 'damages (2N)' },
  years: { zh: '年数', en: 'years' },
}

/** Label of a figure in the language of the reader; its name if there is none. */
export const resultLabel = (name: string, language: Language): string =>
  labels[name]?.[language] ?? name.replaceAll('_', ' ')
