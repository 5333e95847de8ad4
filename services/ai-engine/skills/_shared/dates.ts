import { arabic } from '../../../_kit/tokenize.ts'

export interface FoundDate {
  /** YYYY-MM-DD, YYYY-MM or YYYY, as precise as the text. */
  date: string
  index: number
}

const han = '[一二三四五六七八九十]{1,3}'
const year = '((?:19|20)\\d{2}|[一二][〇零一二三四五六七八九]{3})'
const month =
  '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\\.?'
const day = '(\\d{1,2})(?:st|nd|rd|th)?'
const months = 'JanFebMarAprMayJunJulAugSepOctNovDec'

type DateParts = [
  year: number | null,
  month?: number | null | undefined,
  day?: number | null | undefined,
]
type DateReader = (match: RegExpMatchArray, today: string) => DateParts

/** Date formats in order of precedence. */
const forms: [RegExp, DateReader][] = [
  [
    new RegExp(
      `(?:${year}|(今|去|前))年\\s?(?:(\\d{1,2}|${han})月份?(?:\\s?(\\d{1,2}|${han})[日号])?)?`,
      'gu',
    ),
    ([, written, relative, m, d], today) => [
      written ? parseYear(written) : Number(today.slice(0, 4)) - '今去前'.indexOf(relative!),
      m === undefined ? undefined : arabic(m),
      d === undefined ? undefined : arabic(d),
    ],
  ],
  [
    /(?<!\d)((?:19|20)\d{2})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/gu,
    ([, y, , m, d]) => [Number(y), Number(m), Number(d)],
  ],
  [
    new RegExp(`\\b${month}\\s+${day},?\\s+((?:19|20)\\d{2})\\b`, 'giu'),
    ([, m, d, y]) => [Number(y), parseMonth(m!), Number(d)],
  ],
  [
    new RegExp(`\\b${day}\\s+(?:of\\s+)?${month},?\\s+((?:19|20)\\d{2})\\b`, 'giu'),
    ([, d, m, y]) => [Number(y), parseMonth(m!), Number(d)],
  ],
  [
    new RegExp(`\\b${month},?\\s+((?:19|20)\\d{2})\\b`, 'giu'),
    ([, m, y]) => [Number(y), parseMonth(m!)],
  ],
  [
    new RegExp(`(\\d{1,2}|${han})月(\\d{1,2}|${han})[日号]`, 'gu'),
    ([, m, d], today) => latestOccurrence(arabic(m!), arabic(d!), today),
  ],
  [/今天|today/giu, (_, today) => daysAgo(today, 0)],
  [/昨天|yesterday/giu, (_, today) => daysAgo(today, 1)],
  [/前天/gu, (_, today) => daysAgo(today, 2)],
]

/** Finds dates in a text, in order of occurrence. */
export function datesIn(text: string, today: string): FoundDate[] {
  const found: FoundDate[] = []
  let remaining = text
  for (const [form, read] of forms) {
    for (const match of remaining.matchAll(form)) {
      const date = formatDate(read(match, today))
      if (date) found.push({ date, index: match.index })
    }
    remaining = remaining.replace(form, (matched) => ' '.repeat(matched.length))
  }
  return found.sort((a, b) => a.index - b.index)
}

/** Returns undefined if the date does not exist. */
function formatDate([y, m, d]: DateParts): string | undefined {
  if (y === null || m === null || d === null || y < 1900) return undefined
  if (m === undefined) return String(y)
  if (m < 1 || m > 12) return undefined
  const month = `${y}-${String(m).padStart(2, '0')}`
  if (d === undefined) return month
  const date = `${month}-${String(d).padStart(2, '0')}`
  return isCalendarDate(date) ? date : undefined
}

/** True for an existing date as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const moment = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}

/** Reads years digit by digit: 二〇二四. */
const parseYear = (text: string) =>
  /^\d/.test(text)
    ? Number(text)
    : Number(
        [...text]
          .map((sign) => '零一二三四五六七八九'.indexOf(sign === '〇' ? '零' : sign))
          .join(''),
      )

const parseMonth = (name: string) =>
  months.toLowerCase().indexOf(name.slice(0, 3).toLowerCase()) / 3 + 1

/** A day without a year is its latest occurrence up to today. */
function latestOccurrence(m: number | null, d: number | null, today: string): DateParts {
  const y = Number(today.slice(0, 4))
  const date = formatDate([y, m, d])
  return date !== undefined && date <= today ? [y, m, d] : [y - 1, m, d]
}

function daysAgo(today: string, days: number): DateParts {
  const moment = new Date(Date.parse(`${today}T00:00:00Z`) - days * 86_400_000)
  return [moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate()]
}
