import { type FactSource, type Facts, makeFact } from '../../facts.ts'
import { isSameValue } from '../_shared/confirmation.ts'
import type { PendingFigure } from './confirm.ts'
import type { Fields } from './fields.ts'
import type { FoundBy } from './products.ts'

type Values = Record<string, unknown>

/** Values of the facts by key, of one source or of all. Null: the person does not know. */
export const pickValues = (facts: Facts, source?: FactSource): Values =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([, fact]) => source === undefined || fact.source === source)
      .map(([key, { value }]) => [key, value]),
  )

/** Source of each fact. */
export const pickSources = (facts: Facts): Record<string, FactSource> =>
  Object.fromEntries(Object.entries(facts).map(([key, { source }]) => [key, source]))

/** Builds the facts that the intake knows, for all skills. A fact that was confirmed stays so until it changes. */
export const buildFacts = (
  values: Values,
  foundBy: Record<string, FoundBy>,
  quotes: Record<string, string>,
  before: Facts,
): Facts =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => {
        const fact = makeFact(value, foundBy[key] ?? 'answer', quotes[key] ?? null)
        const known = before[key]
        const stays = known?.confirmed === true && isSameValue(known.value, value)
        return [key, { ...fact, confirmed: fact.confirmed || stays }]
      }),
  )

/**
 * Details that state the same sum or day as a figure that the person corrected, with the new value: whoever
 * lent 10 instead of 8 also handed over 10.
 */
export const correctedDetails = (confirmed: PendingFigure[], before: Fields, details: Values) =>
  confirmed.flatMap(({ key: figure, value, quote }) =>
    Object.keys(details)
      .filter((key) => before[figure] != null && details[key] === before[figure])
      .map((key) => ({ key, value, quote })),
  )
