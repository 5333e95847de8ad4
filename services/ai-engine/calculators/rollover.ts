import * as z from 'zod'
import { type Article, Day, type Step } from './calculator.ts'
import { type Calendar, nextWorkingDay } from './days.ts'

const Days = z.array(Day).max(2_000).optional()

/** Inputs that say which days are off. Public holidays are announced every year, so they are no part of the suite. */
export const calendarInputs = {
  holidays: Days.describe('Public holidays beside weekends, as dates.'),
  working_days: Days.describe('Saturdays and Sundays that are working days in exchange, as dates.'),
}

/** The last day of a period that ends on a date: that day, or the first working day after it. */
export function rollOver(date: string, calendar: Calendar, articles: Article[]) {
  const last = nextWorkingDay(date, calendar)
  const step: Step = {
    title: { zh: '顺延至工作日', en: 'Roll over to a working day' },
    articles,
    formula: 'first day on or after it that is no day off',
    inputs: { date },
    result: last,
  }
  return { last, step }
}
