import * as z from 'zod'
import { Amount, Day, defineCalculator, type Step, toNumber } from './calculator.ts'
import { addDays, addMonths, monthsBetween, workdaysBetween } from './days.ts'
import { fraction, max, min } from './fraction.ts'
import { cite, laborContractLawFrom } from './laws.ts'

/** Average paid days of a month: the days of a year without 104 rest days, over twelve. Holidays are paid. */
const paidDays = 21.75

export const dailyWage = (monthlyWage: number) => fraction(monthlyWage).over(paidDays).cents()

export const dailyStep = (monthlyWage: number): Step => ({
  title: { zh: '日工资', en: 'Daily wage' },
  articles: [...cite('labor', '第五十一条'), ...cite('workingHours', '第七条')],
  formula: 'monthly wage ÷ 21.75',
  inputs: { monthly_wage: monthlyWage },
  result: toNumber(dailyWage(monthlyWage)),
})

const laterDate = (a: string, b: string) => (a > b ? a : b)

/** Additional wages for work without a written contract. */
export const doubleWage = defineCalculator({
  id: 'double_wage',
  title: { zh: '未订立书面劳动合同的二倍工资', en: 'Double wages without a written contract' },
  inputs: z
    .strictObject({
      hired_on: Day,
      monthly_wage: Amount,
      signed_on: Day.optional().describe('Day on which the contract was signed.'),
      left_on: Day.optional().describe('Last day of employment.'),
    })
    .refine(({ hired_on, left_on }) => !left_on || left_on >= hired_on, {
      message: 'Must not be before `hired_on`.',
      path: ['left_on'],
    }),
  articles: [
    ...cite('laborContract', '第八十二条', '第九十七条'),
    ...cite('laborContractRules', '第六条', '第七条'),
    ...cite('laborInterpretation2', '第六条'),
    ...cite('labor', '第五十一条'),
    ...cite('workingHours', '第七条'),
  ],
  calculate({ hired_on, monthly_wage, signed_on, left_on }) {
    // Who worked before the law had to get a contract within a month from its first day (97).
    const counted = laterDate(hired_on, laborContractLawFrom)
    const from = addMonths(counted, 1)
    const ends = [addDays(addMonths(counted, 12), -1)]
    if (signed_on) ends.push(addDays(signed_on, -1))
    if (left_on) ends.push(left_on)
    const to = ends.sort()[0]!
    const period: Step = {
      title: { zh: '应付二倍工资的期间', en: 'Period of double wages' },
      articles: [
        ...cite('laborContractRules', '第六条', '第七条'),
        ...(counted > hired_on ? cite('laborContract', '第九十七条') : []),
      ],
      formula: 'from one month after hiring to the day before signing, at most to one year',
      inputs: { hired_on, signed_on: signed_on ?? null, left_on: left_on ?? null },
      result: to < from ? null : { from, to },
    }
    if (to < from) {
      return { result: { from: null, to: null, months: 0, workdays: 0, extra: 0 }, steps: [period] }
    }
    // Months are counted from the day of hiring: from 31 January they would end on the 29th, two days short.
    const served = monthsBetween(counted, addDays(to, 1))
    const months = Math.max(0, served - 1)
    const workdays = workdaysBetween(laterDate(from, addMonths(counted, served)), to)
    const daily = dailyWage(monthly_wage)
    const extra = toNumber(fraction(monthly_wage).times(months).plus(daily.times(workdays)).cents())
    const amount: Step = {
      title: { zh: '二倍工资差额', en: 'Additional wages' },
      articles: [...cite('laborContract', '第八十二条'), ...cite('laborInterpretation2', '第六条')],
      formula: 'monthly wage × full months + daily wage × working days of the rest',
      inputs: { monthly_wage, months, daily: toNumber(daily), workdays },
      result: extra,
    }
    const steps = workdays > 0 ? [period, dailyStep(monthly_wage), amount] : [period, amount]
    return { result: { from, to, months, workdays, extra }, steps }
  },
})

/** Overtime pay on workdays, rest days and holidays. */
export const overtime = defineCalculator({
  id: 'overtime',
  title: { zh: '加班工资', en: 'Overtime pay' },
  inputs: z.strictObject({
    monthly_wage: Amount,
    workday_hours: z.number().min(0).max(100_000),
    rest_days: z.number().min(0).max(10_000),
    holidays: z.number().min(0).max(10_000),
  }),
  articles: [
    ...cite('labor', '第四十四条', '第五十一条'),
    ...cite('workingHours', '第三条', '第七条'),
  ],
  calculate({ monthly_wage, workday_hours, rest_days, holidays }) {
    const daily = dailyWage(monthly_wage)
    const hourly = daily.over(8).cents()
    const pay = hourly
      .times(1.5)
      .times(workday_hours)
      .plus(daily.times(2).times(rest_days))
      .plus(daily.times(3).times(holidays))
      .cents()
    const hourlyStep: Step = {
      title: { zh: '小时工资', en: 'Hourly wage' },
      articles: cite('workingHours', '第三条'),
      formula: 'daily wage ÷ 8',
      inputs: { daily: toNumber(daily) },
      result: toNumber(hourly),
    }
    const payStep: Step = {
      title: { zh: '加班工资', en: 'Overtime pay' },
      articles: cite('labor', '第四十四条'),
      formula: 'hourly × 150 % × hours + daily × 200 % × rest days + daily × 300 % × holidays',
      inputs: {
        hourly: toNumber(hourly),
        daily: toNumber(daily),
        workday_hours,
        rest_days,
        holidays,
      },
      result: toNumber(pay),
    }
    return {
      result: { hourly: toNumber(hourly), daily: toNumber(daily), overtime: toNumber(pay) },
      steps: [dailyStep(monthly_wage), hourlyStep, payStep],
    }
  },
})

/** Pay for annual leave that was not taken, beside the ordinary wage. */
export const annualLeave = defineCalculator({
  id: 'annual_leave',
  title: { zh: '未休年休假工资', en: 'Pay for untaken annual leave' },
  inputs: z.strictObject({ monthly_wage: Amount, days_unused: z.number().min(0).max(1_000) }),
  articles: [
    ...cite('annualLeave', '第五条'),
    ...cite('labor', '第五十一条'),
    ...cite('workingHours', '第七条'),
  ],
  calculate({ monthly_wage, days_unused }) {
    const daily = dailyWage(monthly_wage)
    const reading = (percent: number) => {
      const extra = toNumber(daily.times(percent).over(100).times(days_unused).cents())
      const step: Step = {
        title: { zh: '未休年休假工资', en: 'Pay for untaken leave' },
        articles: cite('annualLeave', '第五条'),
        formula: `daily × ${percent} % × days`,
        inputs: { daily: toNumber(daily), days_unused },
        result: extra,
      }
      return { result: { daily: toNumber(daily), extra }, steps: [dailyStep(monthly_wage), step] }
    }
    // 300 % includes the wage for the days worked, which is usually paid already.
    const label = {
      zh: '当日工资也未支付的，按300%',
      en: '300 %, if the wage of those days is unpaid too',
    }
    return { ...reading(200), alternatives: [{ label, ...reading(300) }] }
  },
})

const grantMonths = [27, 25, 23, 21, 18, 16, 13, 11, 9, 7]

/** Lump-sum disability grant of work-injury insurance. */
export const workInjury = defineCalculator({
  id: 'work_injury',
  title: { zh: '一次性伤残补助金', en: 'Lump-sum disability grant' },
  inputs: z.strictObject({
    grade: z.int().min(1).max(10),
    monthly_wage: Amount,
    local_average_wage: Amount,
  }),
  articles: cite('workInjury', '第三十五条', '第三十六条', '第三十七条', '第六十四条'),
  calculate({ grade, monthly_wage, local_average_wage }) {
    const local = fraction(local_average_wage)
    const base = min(max(fraction(monthly_wage), local.times(0.6)), local.times(3)).cents()
    const months = grantMonths[grade - 1]!
    const grant = toNumber(base.times(months).cents())
    const article = grade <= 4 ? '第三十五条' : grade <= 6 ? '第三十六条' : '第三十七条'
    const steps: Step[] = [
      {
        title: { zh: '本人工资', en: 'Wage that counts' },
        articles: cite('workInjury', '第六十四条'),
        formula: 'monthly wage, at least 60 % and at most 300 % of the local average',
        inputs: { monthly_wage, local_average_wage },
        result: toNumber(base),
      },
      {
        title: { zh: '一次性伤残补助金', en: 'Lump-sum disability grant' },
        articles: cite('workInjury', article),
        formula: 'base × months of the grade',
        inputs: { base: toNumber(base), grade, months },
        result: grant,
      },
    ]
    return { result: { base: toNumber(base), months, grant }, steps }
  },
})
