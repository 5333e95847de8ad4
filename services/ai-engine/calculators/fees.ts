import * as z from 'zod'
import { invalid } from '../../_kit/fault.ts'
import { Amount, defineCalculator, type Step, toNumber } from './calculator.ts'
import { type Fraction, fraction, max, min, zero } from './fraction.ts'
import { cite } from './laws.ts'

/** Brackets of a fee: the part of the amount up to a bound pays a rate in per cent. */
type Brackets = [upTo: number, percent: number][]

const property: Brackets = [
  [100_000, 2.5],
  [200_000, 2],
  [500_000, 1.5],
  [1_000_000, 1],
  [2_000_000, 0.9],
  [5_000_000, 0.8],
  [10_000_000, 0.7],
  [20_000_000, 0.6],
  [Number.MAX_SAFE_INTEGER, 0.5],
]
const enforcement: Brackets = [
  [500_000, 1.5],
  [5_000_000, 1],
  [10_000_000, 0.5],
  [Number.MAX_SAFE_INTEGER, 0.1],
]
const preservation: Brackets = [
  [100_000, 1],
  [Number.MAX_SAFE_INTEGER, 0.5],
]

/** A flat fee up to `floor`, and the rates of the brackets on the parts above. */
function bracketFee(amount: number, flat: number, floor: number, brackets: Brackets): Fraction {
  let fee = fraction(flat)
  let lower = floor
  for (const [upper, percent] of brackets) {
    const part = min(fraction(amount), fraction(upper)).minus(fraction(lower))
    if (!part.isAbove(0)) break
    fee = fee.plus(part.times(percent).over(100))
    lower = upper
  }
  return fee.cents()
}

const propertyFee = (amount: number) => bracketFee(amount, 50, 10_000, property)

/** Court fee of a first-instance action. */
export const courtFee = defineCalculator({
  id: 'court_fee',
  title: { zh: '案件受理费', en: 'Court fee' },
  inputs: z.strictObject({
    kind: z.enum(['property', 'divorce', 'other']),
    amount: Amount.optional().describe('Amount in dispute, or property to be divided.'),
    simplified: z.boolean().optional().describe('Summary procedure: half the fee.'),
  }),
  articles: cite('fees', '第十三条', '第十六条'),
  calculate({ kind, amount, simplified = false }) {
    if (kind === 'property' && amount === undefined) {
      throw invalid([{ path: 'amount', message: 'Required for kind `property`.' }])
    }
    const [low, high] = feeRange(kind, amount ?? 0)
    const articles = cite('fees', '第十三条')
    const full: Step = {
      title: { zh: '受理费标准', en: 'Fee by the scale' },
      articles,
      formula: formulas[kind],
      inputs: { kind, amount: amount ?? null },
      result: { low: toNumber(low), high: toNumber(high) },
    }
    if (!simplified) return { result: { low: toNumber(low), high: toNumber(high) }, steps: [full] }
    const halved = { low: toNumber(low.over(2).cents()), high: toNumber(high.over(2).cents()) }
    const half: Step = {
      title: { zh: '简易程序减半', en: 'Half in summary procedure' },
      articles: cite('fees', '第十六条'),
      formula: 'fee ÷ 2',
      inputs: { low: toNumber(low), high: toNumber(high) },
      result: halved,
    }
    return { result: halved, steps: [full, half] }
  },
})

const formulas = {
  property: '50 up to 10,000, then 2.5 % … 0.5 % of each bracket',
  divorce: '50 to 300, and 0.5 % of property above 200,000',
  other: '50 to 100',
}

function feeRange(kind: keyof typeof formulas, amount: number): [Fraction, Fraction] {
  if (kind === 'property') return [propertyFee(amount), propertyFee(amount)]
  if (kind === 'other') return [fraction(50), fraction(100)]
  const division = max(zero, fraction(amount).minus(fraction(200_000)))
    .times(0.005)
    .cents()
  return [fraction(50).plus(division), fraction(300).plus(division)]
}

const applications = {
  preservation: {
    formula: '30 up to 1,000, then 1 % to 100,000, 0.5 % above, at most 5,000',
    fee: (amount: number) => min(bracketFee(amount, 30, 1_000, preservation), fraction(5_000)),
  },
  enforcement: {
    formula: '50 up to 10,000, then 1.5 %, 1 %, 0.5 % and 0.1 % of each bracket',
    fee: (amount: number) => bracketFee(amount, 50, 10_000, enforcement),
  },
  payment_order: {
    formula: 'a third of the court fee of a property case',
    fee: (amount: number) => propertyFee(amount).over(3).cents(),
  },
}

/** Fee of an application: preservation, enforcement, payment order. */
export const applicationFee = defineCalculator({
  id: 'application_fee',
  title: { zh: '申请费', en: 'Application fee' },
  inputs: z.strictObject({
    kind: z.enum(['preservation', 'enforcement', 'payment_order']),
    amount: Amount,
  }),
  articles: cite('fees', '第十三条', '第十四条'),
  calculate({ kind, amount }) {
    const { formula, fee } = applications[kind]
    const result = toNumber(fee(amount))
    const articles = cite('fees', ...(kind === 'payment_order' ? ['第十三条'] : []), '第十四条')
    const title = { zh: '申请费', en: 'Application fee' }
    return {
      result: { fee: result },
      steps: [{ title, articles, formula, inputs: { kind, amount }, result }],
    }
  },
})
