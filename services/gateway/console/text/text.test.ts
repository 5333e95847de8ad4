import { expect, test } from 'vitest'
import { formatTime, parseNumber } from './text.ts'

test('a number with separators or full-width digits is read, other text is not', () => {
  const typed = ['50,000', '５０，０００', ' 1 000.5 ', '-3', '.5']
  expect(typed.map(parseNumber)).toEqual([50_000, 50_000, 1_000.5, -3, 0.5])
  const none = ['', '5万', '1e5', '0x10', 'Infinity', '1.2.3']
  expect(none.map(parseNumber)).toEqual(none.map(() => Number.NaN))
})

test('a time of another year shows the year, a time of this year does not', () => {
  const year = new Date().getFullYear()
  expect(formatTime(`${year - 3}-06-15T12:00:00.000Z`)).toContain(String(year - 3))
  expect(formatTime(`${year}-06-15T12:00:00.000Z`)).not.toContain(String(year))
})
