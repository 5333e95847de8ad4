import { arabic } from '../../../_kit/tokenize.ts'

/** A number in digits or Han numerals. In 张三10万, 三 belongs to the name. */
const numberPattern =
  '\\d[\\d,.百千万亿]*(?: [万亿])?|[零〇一二两三四五六七八九十壹贰叁肆伍陆柒捌玖拾][零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]*(?!\\d)'
const amountPattern = new RegExp(
  `(¥|￥|RMB|CNY|人民币)?\\s{0,2}(${numberPattern})\\s{0,2}(k\\b|thousand|million)?[余多]?\\s{0,2}(元|圆|块钱|块|yuan|RMB|CNY|renminbi)?`,
  'giu',
)
/** Other currencies, before or after a number. There is no rate for them, so the person is asked for yuan. */
const foreignBefore =
  /(?:\$|€|£|USD|HKD|EUR|GBP|JPY|[美港日澳加]元|美金|港币|欧元|英镑|日圆|dollars?|euros?)\s{0,2}$/iu
const foreignAfter =
  /^\s{0,2}(?:美元|美金|港元|港币|欧元|英镑|日元|日圆|澳元|加元|新元|卢布|韩元|泰铢|USD|HKD|EUR|GBP|JPY|(?:US |HK )?dollars?|euros?|pounds?|yen)/iu
/** Nouns after which a number is a count, not an amount. */
const countedNoun = /^[人件字公里次个名户吨平分火米]/u

export interface Amount {
  /** In yuan. */
  amount: number
  /** Source text. */
  text: string
  index: number
}

/** Finds amounts of money in yuan: 10万元, 三万五千元, ¥100,000, RMB 1.2 million. */
export function amountsIn(text: string): Amount[] {
  return [...text.matchAll(amountPattern)].flatMap((match) => {
    const [matched, sign, digits = '', scale = '', unit = ''] = match
    const written = digits.replace(/[,.]+$|\s/g, '')
    const after = text.slice(match.index + matched.length)
    const before = text.slice(0, match.index)
    if (foreignBefore.test(before) || (!unit && foreignAfter.test(after))) return []
    const bare = !sign && !unit
    if (bare && (!/[万亿]$/.test(written) || countedNoun.test(after))) return []
    const amount = (parseNumber(written) ?? Number.NaN) * (scales[scale.toLowerCase()] ?? 1)
    if (!(amount >= 0 && amount < 1e13)) return []
    // 一块 means "together", not one yuan.
    if (unit === '块' && amount < 10) return []
    return [{ amount: Math.round(amount * 100) / 100, text: matched.trim(), index: match.index }]
  })
}

const scales: Record<string, number> = { k: 1_000, thousand: 1_000, million: 1_000_000 }
const numeralUnits: [string, number][] = [
  ['亿', 1e8],
  ['万', 1e4],
]

/** Parses 3.5万, 三万五千, 一百二十万. Null if it is not a number. */
function parseNumber(text: string): number | null {
  for (const [unit, worth] of numeralUnits) {
    const at = text.lastIndexOf(unit)
    if (at < 0) continue
    const before = parseNumber(text.slice(0, at))
    const after = at === text.length - 1 ? 0 : parseNumber(text.slice(at + 1))
    return before === null || after === null ? null : before * worth + after
  }
  const plain = text.replaceAll(',', '')
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain)
  const mixed = /^(\d+(?:\.\d+)?)([千百])$/.exec(plain)
  if (mixed) return Number(mixed[1]) * (mixed[2] === '千' ? 1_000 : 100)
  return /^\D+$/.test(plain) ? arabic(simplifyNumerals(plain)) : null
}

const formal = '壹贰叁肆伍陆柒捌玖拾佰仟两'
const everyday = '一二三四五六七八九十百千二'

const simplifyNumerals = (text: string) =>
  text.replace(/./gu, (sign) => {
    const at = formal.indexOf(sign)
    return at < 0 ? sign : everyday[at]!
  })

/** Formats 100000 as 100,000 and 0.5 as 0.50. */
export const formatMoney = (amount: number) =>
  amount.toLocaleString('en-US', {
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 2,
  })
