import * as z from 'zod'
import { Amount, defineCalculator, Share, type Step, toNumber } from './calculator.ts'
import { type Fraction, fraction, min } from './fraction.ts'
import { cite } from './laws.ts'

/** Compensation for disability after an injury. */
export const disability = defineCalculator({
  id: 'disability',
  title: { zh: '残疾赔偿金', en: 'Disability compensation' },
  inputs: z.strictObject({
    annual_income: Amount.describe('Disposable income per head of urban residents, last year.'),
    share: Share.describe('Degree of disability from 0 to 1: grade 10 is 0.1.'),
    age: z.int().min(0).max(150).describe('Age on the day of the assessment.'),
  }),
  articles: cite('injury', '第十二条', '第二十二条'),
  calculate({ annual_income, share, age }) {
    const years = age >= 75 ? 5 : age >= 60 ? 20 - (age - 60) : 20
    const amount = toNumber(fraction(annual_income).times(share).times(years).cents())
    const steps: Step[] = [
      {
        title: { zh: '赔偿年限', en: 'Years' },
        articles: cite('injury', '第十二条'),
        formula: '20; one less for each year above 60; 5 from 75',
        inputs: { age },
        result: years,
      },
      {
        title: { zh: '残疾赔偿金', en: 'Disability compensation' },
        articles: cite('injury', '第十二条', '第二十二条'),
        formula: 'annual income × share × years',
        inputs: { annual_income, share, years },
        result: amount,
      },
    ]
    return { result: { years, amount }, steps }
  },
})

/** Income lost while unable to work. */
export const lostIncome = defineCalculator({
  id: 'lost_income',
  title: { zh: '误工费', en: 'Lost income' },
  inputs: z.strictObject({ annual_income: Amount, days: z.int().min(0).max(36_500) }),
  articles: cite('injury', '第七条'),
  calculate({ annual_income, days }) {
    const amount = toNumber(fraction(annual_income).times(days).over(365).cents())
    const step: Step = {
      title: { zh: '误工费', en: 'Lost income' },
      articles: cite('injury', '第七条'),
      formula: 'annual income × days ÷ 365',
      inputs: { annual_income, days },
      result: amount,
    }
    return { result: { amount }, steps: [step] }
  },
})

const Losses = z.strictObject({ medical: Amount, disability: Amount, property: Amount })
const kinds = ['medical', 'disability', 'property'] as const

/** Who pays the damage of a traffic accident: compulsory insurer, commercial insurer, tortfeasor. */
export const trafficSplit = defineCalculator({
  id: 'traffic_split',
  title: { zh: '交通事故赔偿的分担', en: 'Split of traffic accident damages' },
  inputs: Losses.extend({
    fault_share: Share.describe('Share of the fault of the motor vehicle, 0 to 1.'),
    compulsory_limits: Losses.describe('Limits of the compulsory insurance.'),
    commercial_limit: Amount,
  }),
  articles: [...cite('civilCode', '第一千二百一十三条'), ...cite('traffic', '第七十六条')],
  calculate({ fault_share, compulsory_limits: limits, commercial_limit, ...losses }) {
    const add = (amount: (kind: (typeof kinds)[number]) => Fraction) =>
      kinds.map(amount).reduce((a, b) => a.plus(b))
    const total = add((kind) => fraction(losses[kind]))
    const compulsory = add((kind) => min(fraction(losses[kind]), fraction(limits[kind]))).cents()
    const liable = total.minus(compulsory).times(fault_share).cents()
    const commercial = min(liable, fraction(commercial_limit)).cents()
    const remaining = liable.minus(commercial)
    const articles = cite('civilCode', '第一千二百一十三条')
    const steps: Step[] = [
      {
        title: { zh: '交强险', en: 'Compulsory insurance' },
        articles: [...articles, ...cite('traffic', '第七十六条')],
        formula: 'each loss up to its limit',
        inputs: { ...losses, compulsory_limits: limits },
        result: toNumber(compulsory),
      },
      {
        title: { zh: '超出部分的责任', en: 'Liability for the rest' },
        articles: cite('traffic', '第七十六条'),
        formula: '(losses − compulsory) × share of fault',
        inputs: { losses: toNumber(total), compulsory: toNumber(compulsory), fault_share },
        result: toNumber(liable),
      },
      {
        title: { zh: '商业险', en: 'Commercial insurance' },
        articles,
        formula: 'liability up to the limit',
        inputs: { liability: toNumber(liable), commercial_limit },
        result: toNumber(commercial),
      },
      {
        title: { zh: '侵权人', en: 'Tortfeasor' },
        articles,
        formula: 'liability − commercial insurance',
        inputs: { liability: toNumber(liable), commercial: toNumber(commercial) },
        result: toNumber(remaining),
      },
    ]
    const result = {
      compulsory: toNumber(compulsory),
      commercial: toNumber(commercial),
      remaining: toNumber(remaining),
    }
    return { result, steps }
  },
})

/** Range of the support for children by a parent with regular income. */
export const childSupport = defineCalculator({
  id: 'child_support',
  title: { zh: '子女抚养费', en: 'Child support' },
  inputs: z.strictObject({ monthly_income: Amount, children: z.int().min(1).max(20) }),
  articles: cite('family', '第四十九条'),
  calculate({ monthly_income, children }) {
    const [from, to] = children === 1 ? [20, 30] : [20, 50]
    const part = (percent: number) =>
      toNumber(fraction(monthly_income).times(percent).over(100).cents())
    const step = (percent: number, label: string, labelEn: string): Step => ({
      title: { zh: label, en: labelEn },
      articles: cite('family', '第四十九条'),
      formula: `monthly income × ${percent} %`,
      inputs: { monthly_income, children },
      result: part(percent),
    })
    return {
      result: { low: part(from), high: part(to) },
      steps: [step(from, '下限', 'Lower end'), step(to, '上限', 'Upper end')],
    }
  },
})
