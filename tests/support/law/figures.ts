import { arabic } from '../../../services/_kit/tokenize.ts'

const number = '[零〇一二三四五六七八九十百千两]+万?|\\d+(?:\\.\\d+)?万?'
const range = '(?:[至到—–-]|以上|以下)'
const share = new RegExp(`百分之(${number})(?:${range}(?:百分之)?(${number}))?`, 'gu')
const percent = new RegExp(`(?:(${number})[%％]?${range})?(${number})\\s*[%％]`, 'gu')
const measure = new RegExp(`(${number})\\s*(个月|日|天|年|周岁|岁|倍|元|小时)`, 'gu')
/** Numbers of articles, dates and words that only look like a number. */
const noFigure =
  /第[零一二三四五六七八九十百千]+(?:条|款|项|[编章节期步人]|顺序)|\d{4}[年-]\d{1,2}[月-]\d{1,2}日?|\d{4}年|一般|(?<=\d),(?=\d{3})/gu

/**
 * Figures that a rule of law may state: periods, ages, multiples, sums and shares, as 3 年 or 30 %. The same
 * figure in Chinese and Arabic numerals is one.
 */
export function figuresIn(text: string): Set<string> {
  const words = text.replace(noFigure, '')
  const found = new Set<string>()
  for (const [, low, high] of [...words.matchAll(share), ...words.matchAll(percent)]) {
    for (const each of [low, high]) if (each) found.add(`${parseValue(each)} %`)
  }
  for (const [, value, unit] of words.matchAll(measure)) {
    found.add(`${parseValue(value!)} ${{ 天: '日', 岁: '周岁' }[unit!] ?? unit}`)
  }
  return found
}

function parseValue(text: string): number {
  const [, digits, tenThousand] = /^(.*?)(万?)$/u.exec(text.replaceAll('两', '二'))!
  const value = /^\d/.test(digits!) ? Number(digits) : arabic(digits!)!
  return tenThousand ? value * 10_000 : value
}

/** Words of a seed record that state a rule; its questions, evidence and sample facts do not. */
export const listStatements = (record: any): string[] =>
  [
    record.name,
    record.description,
    record.limitation?.basis,
    record.calculation?.formula,
    ...[...(record.defences ?? []), ...(record.risk_factors ?? [])].flatMap(
      ({ name, description }) => [name, description],
    ),
  ].filter(Boolean)
