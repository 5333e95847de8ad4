import { Fault } from '../../_kit/fault.ts'
import type { Table } from './calculator.ts'
import { type Fraction, fraction } from './fraction.ts'

export const lprTable: Table = {
  name: 'LPR 1Y',
  source: '全国银行间同业拆借中心',
  through: '2026-08-20',
}

/** One-year loan prime rate in per cent, by the day from which it was in force. */
const rates: [from: string, percent: number][] = [
  ['2019-08-20', 4.25],
  ['2019-09-20', 4.2],
  ['2019-11-20', 4.15],
  ['2020-02-20', 4.05],
  ['2020-04-20', 3.85],
  ['2021-12-20', 3.8],
  ['2022-01-20', 3.7],
  ['2022-08-22', 3.65],
  ['2023-06-20', 3.55],
  ['2023-08-21', 3.45],
  ['2024-07-22', 3.35],
  ['2024-10-21', 3.1],
  ['2025-05-20', 3],
]

/** The one-year LPR in force on a day. A day outside the table is refused, never extrapolated. */
export function lprOn(date: string): Fraction {
  const rate = rates.findLast(([from]) => from <= date)
  if (!rate || date > lprTable.through) {
    const { through } = lprTable
    throw new Fault(
      'RATE_TABLE_ENDS',
      `The one-year LPR table covers ${rates[0]![0]} to ${through}; ${date} is outside of it.`,
      { data: { table: lprTable.name, from: rates[0]![0], through, date } },
    )
  }
  return fraction(rate[1])
}

/** Days strictly between two dates on which the LPR changed. */
export const lprChangesBetween = (from: string, to: string) =>
  rates.map(([day]) => day).filter((day) => from < day && day < to)
