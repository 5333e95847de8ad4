import type { CalculationStep } from '../../api/types.ts'
import { currentLanguage, formatMoney, formatNumber, t, translate } from '../../text/text.ts'
import type { Fault } from './inputs.ts'

export const calculatorsPath = '/api/v1/ai/calculators'

type Title = Record<'zh' | 'en', string>

/** One reading of the law: its result and the steps to it. */
export interface Reading {
  result: Record<string, unknown>
  steps: CalculationStep[]
}

export interface Calculation extends Reading {
  calculator: string
  as_of: string
  alternatives: (Reading & { label: Title })[]
  tables: { name: string; source: string; through: string }[]
}

export const localizeTitle = (title: Title) => title[currentLanguage()]

/** Label of an input or result. A calculator may use a name in a meaning of its own. */
export function formatLabel(calculator: string, name: string): string {
  const own = translate(`value.${calculator}`, name)
  return own === name ? translate('value', name) : own
}

/** Values that are no amounts of money. */
const plainNumbers = new Set([
  'age',
  'capped',
  'children',
  'days',
  'days_unused',
  'grade',
  'months',
  'workdays',
  'years',
  'share',
  'fault_share',
  'workday_hours',
  'rest_days',
  'holidays',
])
const rates = new Set(['rate', 'cap_rate', 'lpr', 'overdue_rate'])

/** A value in the form of its kind: amount, rate, count, day or choice. */
export function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return t('calculators.none')
  if (typeof value === 'boolean') return t(value ? 'card.yes' : 'card.no')
  if (typeof value === 'string') return translate('choice', value)
  if (typeof value === 'number') {
    if (rates.has(name)) return t('calculators.percent', { value: formatNumber(value) })
    return plainNumbers.has(name) ? formatNumber(value) : formatMoney(value)
  }
  if (Array.isArray(value)) return value.map((each) => formatValue(name, each)).join('、')
  return Object.entries(value)
    .map(([member, each]) => `${translate('value', member)} ${formatValue(member, each)}`)
    .join('，')
}

/** The result of a step. A step does not say whether its number is an amount. */
export const formatStepResult = (value: unknown) =>
  typeof value === 'number' ? formatNumber(value) : formatValue('', value)

/** A formula in the language of the reader: as a whole, or operand by operand. */
export function formatFormula(formula: string): string {
  const whole = translate('term', formula)
  if (whole !== formula) return whole
  return formula
    .split(/( [×÷+−] |[()])/)
    .map((part) => translate('term', part))
    .join('')
}

/** Messages of the calculators that name another input. */
const patterns: [RegExp, 'before' | 'exceed' | 'between'][] = [
  [/^Must not be before `(\w+)`\.$/, 'before'],
  [/^Must not exceed `(\w+)`\.$/, 'exceed'],
  [/^Must be from `(\w+)` to `(\w+)`\.$/, 'between'],
]

export function faultText(calculator: string, fault: Fault): string {
  switch (fault.kind) {
    case 'message': {
      for (const [pattern, key] of patterns) {
        const [, first, second] = pattern.exec(fault.message) ?? []
        if (first === undefined) continue
        const field = formatLabel(calculator, first)
        const end = second === undefined ? '' : formatLabel(calculator, second)
        return t(`calculators.fault.${key}`, { field, end })
      }
      return fault.message
    }
    case 'minimum':
    case 'maximum':
      return t(`calculators.fault.${fault.kind}`, { limit: formatNumber(fault.limit) })
    default:
      return t(`calculators.fault.${fault.kind}`)
  }
}
