import { inputs, type Plan } from './plan.ts'

/**
 * Limitation of a claim that can be made from a day on: the first of the facts that is known. Without it nothing is
 * calculated: a loan without a due day, for one, is due only after a demand.
 */
export const limitationFrom = (...names: string[]): Plan => ({
  calculator: 'limitation',
  applies: (source) =>
    source.limitationYears !== undefined &&
    (names.includes('event_date') || names.some((name) => source.day(name) !== undefined)),
  needs: (source) =>
    names.every((name) => source.day(name) === undefined) ? [inputs.event_date] : [],
  inputs(source) {
    const due_on = names.flatMap((name) => source.day(name) ?? [])[0]!
    // A payment acknowledges the debt.
    const interruptions = [
      'private_lending.last_demand_date',
      'private_lending.last_acknowledgement_date',
      'repaid_on',
    ]
      .flatMap((name) => source.day(name) ?? [])
      .filter((day) => day > due_on)
      .sort()
    return {
      due_on,
      years: source.limitationYears,
      ...(interruptions.length > 0 && { interruptions }),
    }
  },
})
/** Limitation from the day of the harm or the dispute. */
export const limitation = limitationFrom('event_date')
/** A labor dispute goes to arbitration first, whose period has rules of its own. */
export const arbitrationFrom = (name: string): Plan => {
  const period = limitationFrom(name)
  return {
    ...period,
    inputs: (source) => ({ ...period.inputs(source), labor_arbitration: true }),
  }
}
/** While the employment lasts, unpaid wages can be claimed at any time. */
export const arbitrationPeriod: Plan = {
  ...arbitrationFrom('event_date'),
  applies: (source) =>
    source.limitationYears !== undefined && source.get('labor_dispute.ending') !== 'ongoing',
}
