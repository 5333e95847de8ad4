import type { Article } from './calculator.ts'
import { addDays, addMonths, daysBetween } from './days.ts'
import { cite, citeFormer, civilCodeFrom, civilRulesFrom } from './laws.ts'

export interface Suspension {
  from: string
  to: string
}

/** The rules of one law on the limitation of claims. */
export interface LimitationLaw {
  period: Article[]
  counting: Article[]
  interruption: Article[]
  suspension: Article[]
  rollover: Article[]
  /** End of a period after a suspension; the same end if the suspension does not count. */
  suspend(expires: string, suspension: Suspension): string
  suspensionFormula: string
}

const laterDate = (a: string, b: string) => (a > b ? a : b)

/** Six months after the obstacle ended, if it reached into the last six months. */
const sixMonths = {
  suspend: (expires: string, { to }: Suspension) =>
    to > addMonths(expires, -6) ? laterDate(expires, addMonths(to, 6)) : expires,
  suspensionFormula: 'six months after the obstacle ended, if it reached into the last six months',
}

/** The rest of the period runs on after the obstacle. Only the part of it from `earliest` on counts. */
const resume = (earliest: string, expires: string, { from, to }: Suspension) =>
  to > earliest ? addDays(to, daysBetween(laterDate(from, earliest), expires)) : expires

export const civilCode: LimitationLaw = {
  period: cite('civilCode', '第一百八十八条'),
  counting: cite('civilCode', '第二百零一条', '第二百零二条'),
  interruption: cite('civilCode', '第一百九十五条'),
  suspension: cite('civilCode', '第一百九十四条'),
  rollover: cite('civilCode', '第二百零三条'),
  ...sixMonths,
}

const civilRules: LimitationLaw = {
  period: citeFormer('civilRules', '第一百八十八条'),
  counting: citeFormer('civilRules', '第二百零一条', '第二百零二条'),
  interruption: citeFormer('civilRules', '第一百九十五条'),
  suspension: citeFormer('civilRules', '第一百九十四条'),
  rollover: citeFormer('civilRules', '第二百零三条'),
  ...sixMonths,
}

/** Until 2017-09-30: two years; after a suspension the rest of the period runs on. */
export const civilPrinciples: LimitationLaw = {
  period: [...citeFormer('civilPrinciples', '第一百三十五条'), ...cite('temporalScope', '第一条')],
  counting: citeFormer('civilPrinciples', '第一百五十四条'),
  interruption: citeFormer('civilPrinciples', '第一百四十条'),
  suspension: citeFormer('civilPrinciples', '第一百三十九条'),
  rollover: citeFormer('civilPrinciples', '第一百五十四条'),
  suspend: (expires, suspension) => resume(addMonths(expires, -6), expires, suspension),
  suspensionFormula:
    'the rest of the period after the obstacle, if it reached into the last six months',
}

/** Claims from a labor relation: one year to apply for arbitration. */
export const laborArbitration = (start: string): LimitationLaw => ({
  ...civilCode,
  period: cite('arbitration', '第二十七条'),
  interruption: cite('arbitration', '第二十七条'),
  suspension: cite('arbitration', '第二十七条'),
  suspend: (expires, suspension) => resume(start, expires, suspension),
  suspensionFormula: 'the rest of the period after the obstacle',
})

/** The law of the day on which a period ended; the Civil Code if it lasted into its time. */
export const lawOn = (expires: string): LimitationLaw =>
  expires >= civilCodeFrom ? civilCode : expires >= civilRulesFrom ? civilRules : civilPrinciples
