import { arabic } from '../../../_kit/tokenize.ts'

/** A number in digits or Han numerals, also as people say it: 10w, 1万5, 两万五. In 张三10万, 三 belongs to the name. */
const numberPattern =
  '\\d[\\d,.百千万亿]*(?:w(?![a-z])\\d?(?!\\d)| [万亿])?|[零〇一二两三四五六七八九十壹贰叁肆伍陆柒捌玖拾][零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]*(?!\\d)'
const amountPattern = new RegExp(
  `(¥|￥|RMB|CNY|人民币)?\\s{0,2}(${numberPattern})\\s{0,2}(k\\b|thousand|million)?[余多]?\\s{0,2}(元|圆|块钱|块|yuan|RMB|CNY|renminbi)?`,
  'giu',
)
/** Other currencies, before or after a number. There is no rate for them, so the person is asked for yuan. */
const foreignBefore =
  /(?:\$|€|£|USD|HKD|EUR|GBP|JPY|[美港日澳加]元|美金|港币|欧元|英镑|日圆|dollars?|euros?)\s{0,2}$/iu
const foreignAfter =
  /^\s{0,2}(?:美元|美金|港元|港币|欧元|英镑|日元|日圆|澳元|加元|新元|卢布|韩元|泰铢|USD|HKD|EUR|GBP|JPY|(?:US |HK )?dollars?|euros?|pounds?|yen)/iu
/** Words after which a number without a unit is a count, not an amount. */
const countedNoun =
  /^(?:[人件字公里次个名户吨平分火米条款项号章页年月日天岁时步斤克张本台辆套家瓶箱册遍夜方辛只头棵%％]|[瓦快充屏灯]|电视|视频|跑步)/u
/** A number without a unit that is an amount: 10万, 3千, 两万五, 三千五百. */
const bareAmount = /[万亿千][一二两三四五六七八九\d]?$|[万千].*百$/u
const hanDigit = '[一二两三四五六七八九壹贰叁肆伍陆柒捌玖]'
/** Two digits in a row name a range: 五六万 may be 50,000 or 60,000. The person is asked. */
const range = new RegExp(`${hanDigit}{2}`, 'u')
/** The lower end of a range: 5到6万, 5、6万. */
const lowerEnd = /[\d一二两三四五六七八九十]\s?[-~～—至到、]\s?$/u
/** Names of examples that end in a digit: in 李四五万元 the sum is 五万元. 老王五万元 names nobody 王五. */
const placeholderName = /(?<![老小])(?:张三|李四|王五|赵六)$/u

export interface Amount {
  /** In yuan. */
  amount: number
  /** Source text. */
  text: string
  index: number
}

/** Finds amounts of money in yuan: 10万元, 三万五千元, 两万五, 10w, ¥100,000, RMB 1.2 million. */
export function amountsIn(text: string): Amount[] {
  return [...text.matchAll(amountPattern)].flatMap((match) => {
    const [matched, sign, digits = '', scale = '', unit = ''] = match
    const after = text.slice(match.index + matched.length)
    const before = text.slice(0, match.index)
    if (foreignBefore.test(before) || (!unit && foreignAfter.test(after))) return []
    const named = !sign && isName(before, digits) ? 1 : 0
    const written = digits
      .slice(named)
      .replace(/[,.]+$|\s/g, '')
      .replace(/w/i, '万')
    if (range.test(written) || lowerEnd.test(before)) return []
    const bare = !sign && !unit
    const isAmount = bareAmount.test(written) || /^k$/i.test(scale)
    if (bare && (!isAmount || countedNoun.test(after) || /第\s?$/.test(before))) return []
    const amount = (parseNumber(written) ?? Number.NaN) * (scales[scale.toLowerCase()] ?? 1)
    if (!(amount >= 0 && amount < 1e13)) return []
    // 一块 means "together", not one yuan.
    if (unit === '块' && amount < 10) return []
    return [
      {
        amount: Math.round(amount * 100) / 100,
        text: matched.trim().slice(named),
        index: match.index + named,
      },
    ]
  })
}

/** True if the first digit of a number belongs to the name before it. */
const isName = (before: string, digits: string) =>
  placeholderName.test(before + digits[0]) && new RegExp(`^.${hanDigit}`, 'u').test(digits)

const scales: Record<string, number> = { k: 1_000, thousand: 1_000, million: 1_000_000 }
const numeralUnits: [string, number][] = [
  ['亿', 1e8],
  ['万', 1e4],
  ['千', 1e3],
  ['百', 100],
]

/** Parses 3.5万, 三万五千, 一百二十万, and as people say it 两万五, 三千五, 1万5. Null if it is not a number. */
function parseNumber(text: string): number | null {
  const plain = text.replaceAll(',', '')
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain)
  const simple = simplifyNumerals(plain)
  for (const [unit, worth] of numeralUnits) {
    const at = simple.lastIndexOf(unit)
    if (at < 0) continue
    const before = at === 0 ? null : parseNumber(simple.slice(0, at))
    const rest = simple.slice(at + 1)
    // A single digit after a unit counts the next lower one.
    const after = rest === '' ? 0 : parseNumber(rest)
    if (before === null || after === null) return null
    return before * worth + (/^[一二三四五六七八九1-9]$/u.test(rest) ? (after * worth) / 10 : after)
  }
  return /^\D+$/.test(simple) ? arabic(simple) : null
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
