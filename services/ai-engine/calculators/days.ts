/** Calendar dates as `YYYY-MM-DD`. */
const dayMs = 86_400_000
const time = (date: string) => Date.parse(`${date}T00:00:00Z`)
const format = (ms: number) => new Date(ms).toISOString().slice(0, 10)

export const today = () => format(Date.now())
export const addDays = (date: string, days: number) => format(time(date) + days * dayMs)
export const daysBetween = (from: string, to: string) => (time(to) - time(from)) / dayMs

/** The corresponding day of a later month, or its last day where there is none (民法典 202). */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return format(Date.UTC(year, month - 1 + months, Math.min(day, lastDay)))
}

/** Full months from one day to another. */
export function monthsBetween(from: string, to: string): number {
  let months = Math.max(0, Math.floor(daysBetween(from, to) / 31))
  while (addMonths(from, months + 1) <= to) months++
  return months
}

const isWeekend = (date: string) => [0, 6].includes(new Date(time(date)).getUTCDay())

/** Monday to Friday, both ends included. */
export function workdaysBetween(from: string, to: string): number {
  let count = 0
  for (let day = from; day <= to; day = addDays(day, 1)) if (!isWeekend(day)) count++
  return count
}

/** Days that differ from the week: holidays from Monday to Friday, and weekends that are worked instead. */
export interface Calendar {
  holidays?: readonly string[] | undefined
  working_days?: readonly string[] | undefined
}

/** The first working day on or after a date. */
export function nextWorkingDay(date: string, calendar: Calendar): string {
  const { holidays = [], working_days = [] } = calendar
  const isOff = (day: string) =>
    holidays.includes(day) || (isWeekend(day) && !working_days.includes(day))
  let day = date
  while (isOff(day)) day = addDays(day, 1)
  return day
}
