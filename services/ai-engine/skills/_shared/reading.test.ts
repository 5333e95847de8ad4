import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountsIn } from './amounts.ts'
import { datesIn, isCalendarDate } from './dates.ts'
import { Memory, personTexts } from './inputs.ts'
import { detectLanguage } from './language.ts'

test.each<[string, number[]]>([
  ['我借给张三10万元', [100_000]],
  ['借了十万块钱，还了三万五千元', [100_000, 35_000]],
  ['一百二十万', [1_200_000]],
  ['人民币壹拾贰万叁仟元', [123_000]],
  ['¥100,000.50 和 ￥5万', [100_000.5, 50_000]],
  ['月薪8000元，3.5万奖金', [8_000, 35_000]],
  ['两万余元', [20_000]],
  ['1.2亿元', [120_000_000]],
  ['RMB 1.2 million, CNY 300k and 5,000 yuan', [1_200_000, 300_000, 5_000]],
  ['3万人参加，千万不要，万一呢，一块去', []],
  ['（2023）京0105民初123号，第二十条，2024年3月5日', []],
  ['年利率15%，电话13800000000', []],
  ['借给他5万美元', []],
  ['港币10万元', []],
  ['他欠我欧元5万', []],
  ['lent him $50,000, US$ 20,000 and 30,000 dollars', []],
  ['5万元，另有3万美元', [50_000]],
  ['10 万元', [100_000]],
  ['他欠我两万五', [25_000]],
  ['借了10w，还了2W块', [100_000, 20_000]],
  ['押金3千没退', [3_000]],
  ['1.5万', [15_000]],
  ['三百二十块', [320]],
  ['工资2k一直没发', [2_000]],
  ['转了1万5，又转1w2', [15_000, 12_000]],
  ['三千五，一万二千八，2万3千', [3_500, 12_800, 23_000]],
  ['一百零五元和一百五块', [105, 150]],
  ['两万零五元', [20_005]],
  ['借给李四五万元，借给老王五万元', [50_000, 50_000]],
  ['大概五六万', []],
  ['三四千块，十五六万元', []],
  ['5到6万，5、6万元，5-6万', []],
  ['第一千一百六十五条，一千次，三千公里，4k电视', []],
])('the amounts in %s are extracted', (text, amounts) => {
  expect(amountsIn(text).map(({ amount }) => amount)).toEqual(amounts)
})

test.each<[string, string[]]>([
  ['2024年3月5日借款，2024-12-31到期', ['2024-03-05', '2024-12-31']],
  ['二〇二三年十一月三十号', ['2023-11-30']],
  ['2024/3/5 或 2024.03.06', ['2024-03-05', '2024-03-06']],
  ['去年3月入职，今年5月1日被辞退', ['2025-03', '2026-05-01']],
  ['2023年至今', ['2023']],
  ['5月20日和12月1日', ['2026-05-20', '2025-12-01']],
  ['昨天', ['2026-06-14']],
  [
    'On March 5, 2024 and 6 April 2024, again in Sept 2025',
    ['2024-03-05', '2024-04-06', '2025-09'],
  ],
  ['2024年2月30日，2024-13-01', []],
  ['13800000000，1.2.3，version 2024.1', []],
])('the dates in %s are extracted', (text, dates) => {
  expect(datesIn(text, '2026-06-15').map(({ date }) => date)).toEqual(dates)
})

test('any formatted amount in yuan and any formatted date is parsed back', () => {
  const day = fc
    .date({ min: new Date('1950-01-01'), max: new Date('2049-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), day, (amount, date) => {
      const [y, m, d] = date.split('-').map(Number)
      const text = `${y}年${m}月${d}日付了${amount}元，${amount.toLocaleString('en-US')} yuan on ${date}.`
      expect(amountsIn(text).map((each) => each.amount)).toEqual([amount, amount])
      expect(datesIn(text, '2026-06-15').map((each) => each.date)).toEqual([date, date])
    }),
  )
})

const hanDigits = '零一二三四五六七八九'
/** Han numerals of a number below 100 million, as they are read. */
function toHan(number: number): string {
  if (number >= 10_000) {
    const rest = number % 10_000
    const gap = rest > 0 && rest < 1_000 ? '零' : ''
    return `${toHan(Math.floor(number / 10_000))}万${gap}${rest > 0 ? toHan(rest) : ''}`
  }
  const digits = [...String(number)].map(Number)
  return digits
    .map((digit, at) =>
      digit === 0 ? '零' : hanDigits[digit]! + ['', '十', '百', '千'][digits.length - 1 - at]!,
    )
    .join('')
    .replace(/零+/g, '零')
    .replace(/零$/, '')
}

test('any amount is read from Han numerals, and from the short forms that people say', () => {
  const amount = fc.integer({ min: 100, max: 99_999_999 })
  fc.assert(
    fc.property(amount, (value) => {
      expect(amountsIn(`欠我${toHan(value)}元`).map((each) => each.amount)).toEqual([value])
    }),
  )
  const digit = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), digit, (ten_thousands, thousands) => {
      const value = ten_thousands * 10_000 + thousands * 1_000
      const forms = [`${toHan(ten_thousands)}万${hanDigits[thousands]}`]
      for (const form of [
        ...forms,
        `${ten_thousands}万${thousands}`,
        `${ten_thousands}w${thousands}`,
        `${ten_thousands}.${thousands}w`,
      ])
        expect(amountsIn(`他欠我${form}`), form).toMatchObject([{ amount: value, text: form }])
    }),
  )
  fc.assert(
    fc.property(digit, digit, (thousands, hundreds) => {
      const value = thousands * 1_000 + hundreds * 100
      for (const form of [
        `${hanDigits[thousands]}千${hanDigits[hundreds]}`,
        `${thousands}千${hundreds}`,
        `${thousands}.${hundreds}k`,
      ])
        expect(amountsIn(`他欠我${form}`), form).toMatchObject([{ amount: value }])
    }),
  )
})

test('two digits in a row before a unit are a range, which is no amount', () => {
  const digit = fc.integer({ min: 1, max: 8 })
  fc.assert(
    fc.property(digit, fc.constantFrom('百元', '千', '千块', '万', '万元', '十万'), (low, unit) => {
      const form = `${hanDigits[low]}${hanDigits[low + 1]}${unit}`
      expect(amountsIn(`大概欠了${form}`), form).toEqual([])
    }),
  )
})

test('any text gives only valid dates and valid amounts', () => {
  const pieces = fc.constantFrom(
    ...'0123456789,.年月日号万亿千百十一二两零元块¥ -/今去',
    'RMB',
    'May ',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      for (const { date } of datesIn(text, '2026-06-15')) {
        expect(isCalendarDate(`${date}-01-01`.slice(0, 10))).toBe(true)
      }
      for (const { amount } of amountsIn(text)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
  )
})

test.each([
  ['我想咨询借款', 'zh'],
  ['我在 Apple Inc. 上班', 'zh'],
  ['How do I sue?', 'en'],
  ['What does 借条 mean here?', 'en'],
  ['123 !!!', undefined],
])('the language of %s is detected', (text, language) => {
  expect(detectLanguage(text)).toBe(language)
})

test('the texts of the person contain the current message once and no replies', () => {
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'USER', content: 'c' },
  ]
  expect(personTexts(messages, 'c')).toEqual(['a', 'c'])
  expect(personTexts(messages, 'd')).toEqual(['a', 'c', 'd'])
  expect(personTexts(messages, '')).toEqual(['a', 'c'])
})

test('memory facts are parsed from a list and from a context', () => {
  const fact = (content: string) => ({ entity_key: 'k', content })
  const context = {
    user_id: '7',
    profile: [fact('a')],
    preferences: [],
    cases: [{ case_id: '1', facts: [fact('b')] }],
    summary: 'text',
  }
  expect(Memory.parse(context).map(({ content }) => content)).toEqual(['a', 'b'])
  expect(Memory.parse([fact('c')])).toHaveLength(1)
  for (const invalid of [null, undefined, 'x', 5]) expect(Memory.parse(invalid)).toEqual([])
})
