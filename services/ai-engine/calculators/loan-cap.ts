import { type Fraction, fraction } from './fraction.ts'
import { lprOn } from './lpr.ts'

/** Day from which the cap is four times the LPR (民间借贷规定 31). */
export const reform = '2020-08-20'
/** Rate that courts protected before. */
const capBefore = fraction(24)

interface Contract {
  made_on: string
  filed_on: string
}

/**
 * The highest protected rate on a day. A contract made before the reform keeps 24 % up to 2020-08-19 and
 * is capped by the LPR at filing afterwards; an action filed before the reform keeps 24 % throughout.
 */
export function capOn(day: string, contract: Contract): Fraction {
  if (contract.made_on >= reform) return lprOn(contract.made_on).times(4)
  if (isBeforeReform(day, contract)) return capBefore
  return lprOn(contract.filed_on).times(4)
}

/** Whether the rule from before the reform protects the rate of a day: 24 %, without the LPR. */
export const isBeforeReform = (day: string, { made_on, filed_on }: Contract) =>
  made_on < reform && (day < reform || filed_on < reform)
