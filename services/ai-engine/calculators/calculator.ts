import * as z from 'zod'
import type { Fraction } from './fraction.ts'

export interface Article {
  law: string
  article: string
}

/** A text in both languages of the suite. */
export interface Title {
  zh: string
  en: string
}

/** One step that a reader can check by hand: its formula, inputs and rounded result. */
export interface Step {
  title: Title
  articles: Article[]
  formula: string
  inputs: Record<string, unknown>
  result: unknown
}

export interface Outcome {
  result: Record<string, unknown>
  steps: Step[]
  /** Other readings of the law, where courts differ. */
  alternatives?: { label: Title; result: Record<string, unknown>; steps: Step[] }[]
}

export interface Table {
  name: string
  source: string
  /** Last day that the table covers. */
  through: string
}

export interface Calculator {
  id: string
  title: Title
  inputs: z.ZodType
  articles: Article[]
  tables: Table[]
  calculate(input: unknown): Outcome
}

/** Declares a calculator. `calculate` is a pure function of its validated input. */
export const defineCalculator = <Input extends z.ZodType>(
  calculator: Omit<Calculator, 'inputs' | 'calculate' | 'tables'> & {
    inputs: Input
    tables?: Table[]
    calculate(input: z.output<Input>): Outcome
  },
): Calculator => ({
  tables: [],
  ...calculator,
  calculate: (input) => calculator.calculate(input as z.output<Input>),
})

export const Amount = z.number().min(0).max(1e12).describe('Amount in yuan.')
/** Calendar arithmetic leaves the form YYYY-MM-DD far outside of these years. */
const years = { first: '1900', last: '2199' }
export const Day = z.iso
  .date()
  .refine((day) => years.first <= day && day.slice(0, 4) <= years.last, {
    message: `Must be from ${years.first} to ${years.last}.`,
  })
  .describe('Date as YYYY-MM-DD.')
export const Rate = z.number().min(0).max(10_000).describe('Per cent a year.')
export const Share = z.number().min(0).max(1).describe('Share from 0 to 1.')

/** The number of a fraction, for results and inputs of steps. */
export const toNumber = (value: Fraction) => value.toNumber()
