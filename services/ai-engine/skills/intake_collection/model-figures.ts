import { amountsIn } from '../_shared/amounts.ts'
import { splitClauses } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Fields } from './fields.ts'
import type { Figure } from './figures.ts'

export type ReadFigure = Figure & { by: 'rules' | 'model' }

const figureKeys = ['amount', 'monthly_wage', 'event_date', 'employment_start'] as const

/**
 * Joins figures of the model with those of the rules. A figure that is not written in the texts is
 * dropped. A figure of the model is certain only where the rules read the same and are certain.
 */
export function checkModelFigures(
  byModel: Fields,
  byRules: Figure[],
  text: string,
  today: string,
): ReadFigure[] {
  return figureKeys.flatMap((key): ReadFigure[] => {
    const rules = byRules.find((figure) => figure.key === key)
    const value = byModel[key]
    const quote = value == null ? undefined : findQuote(value, text, today)
    if (value == null || quote === undefined) return rules ? [{ ...rules, by: 'rules' }] : []
    if (rules?.value === value) return [{ ...rules, by: 'model' }]
    return [{ key, value, quote, certain: false, by: 'model' }]
  })
}

/** The clause in which a value is written; undefined if it is written nowhere. */
function findQuote(value: number | string, text: string, today: string): string | undefined {
  return splitClauses(text).find((clause) =>
    typeof value === 'number'
      ? amountsIn(clause).some(({ amount }) => amount === value) ||
        new RegExp(`(?<![\\d.])${value}(?![\\d.])`).test(clause.replaceAll(',', ''))
      : datesIn(clause, today).some(({ date }) => date === value) || isRelative(clause),
  )
}

const isRelative = (clause: string) =>
  /上个?[周月]|昨|前天|今天|\blast\b|\bago\b|yesterday|today/iu.test(clause)
