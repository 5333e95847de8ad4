import { type Basis, checkExamples, type LawExample } from '../../../tests/support/law-example.ts'

const of =
  (law: string) =>
  (article: string, words: string): Basis => ({ law, article, words })
const code = of('中华人民共和国民法典')
const principles = of('中华人民共和国民法通则')
const rules = of('中华人民共和国民法总则')
const arbitration = of('中华人民共和国劳动争议调解仲裁法')
const procedure = of('中华人民共和国民事诉讼法')
const temporal = of('最高人民法院关于适用《中华人民共和国民法典》时间效力的若干规定')

const general = code('第一百八十八条', '诉讼时效期间为三年')
const monthEnd = code('第二百零二条', '没有对应日的，月末日为期间的最后一日')
const holiday = code('第二百零三条', '以法定休假日结束的次日为期间的最后一日')
const interruption = code('第一百九十五条', '诉讼时效期间重新计算')
const suspension = code('第一百九十四条', '自中止时效的原因消除之日起满六个月')
const twoYears = principles('第一百三十五条', '诉讼时效期间为二年')
const arbitrationYear = arbitration('第二十七条', '仲裁的时效期间为一年')

/** Holidays from Monday to Friday around the Spring Festival, and the weekend days worked in exchange. */
const spring2025 = {
  holidays: ['01-28', '01-29', '01-30', '01-31', '02-03', '02-04'].map((day) => `2025-${day}`),
  working_days: ['2025-01-26', '2025-02-08'],
}
const spring2024 = {
  holidays: ['02-12', '02-13', '02-14', '02-15', '02-16'].map((day) => `2024-${day}`),
  working_days: ['2024-02-04', '2024-02-18'],
}

const limitations: LawExample[] = [
  {
    on: 'the end falls into the Spring Festival',
    inputs: { due_on: '2022-01-29', ...spring2025 },
    result: { expires_on: '2025-01-29', last_day: '2025-02-05' },
    basis: [general, holiday],
  },
  {
    on: 'the end is a Saturday that is worked in exchange: no day later',
    inputs: { due_on: '2022-02-08', ...spring2025 },
    result: { expires_on: '2025-02-08', last_day: '2025-02-08' },
    basis: [holiday],
  },
  {
    on: 'four years from a leap day to a leap day',
    inputs: { due_on: '2020-02-29', years: 4 },
    result: { expires_on: '2024-02-29' },
    basis: [monthEnd],
  },
  {
    on: 'a demand on the Monday that the end is rolled over to',
    inputs: { due_on: '2024-05-15', interruptions: ['2027-05-17'] },
    result: { expires_on: '2030-05-17', last_day: '2030-05-17' },
    basis: [interruption],
  },
  {
    on: 'a demand on the day after it comes too late',
    inputs: { due_on: '2024-05-15', interruptions: ['2027-05-18'] },
    result: { expires_on: '2027-05-15', last_day: '2027-05-17' },
    basis: [general],
    without: [interruption],
  },
  {
    on: 'an obstacle that ended before the last six months began, at the end of February',
    inputs: { due_on: '2020-08-31', suspensions: [{ from: '2023-02-01', to: '2023-02-28' }] },
    result: { expires_on: '2023-08-31' },
    basis: [general],
    without: [suspension],
  },
  {
    on: 'an obstacle that ended on the first of the last six months',
    inputs: { due_on: '2020-06-15', suspensions: [{ from: '2022-10-01', to: '2022-12-16' }] },
    result: { expires_on: '2023-06-16' },
    basis: [suspension],
  },
  {
    on: 'an obstacle after the end counts for nothing',
    inputs: { due_on: '2020-06-15', suspensions: [{ from: '2023-06-16', to: '2023-12-31' }] },
    result: { expires_on: '2023-06-15' },
    basis: [general],
    without: [suspension],
  },
  {
    on: 'an interruption, then an obstacle in the last six months of the new period',
    inputs: {
      ...{ due_on: '2020-01-10', interruptions: ['2021-03-31'] },
      suspensions: [{ from: '2024-01-01', to: '2024-02-29' }],
    },
    result: { expires_on: '2024-08-29' },
    basis: [interruption, suspension],
  },
  {
    // 60 days were left on 2016-01-01.
    on: 'an obstacle before 2017-10: the rest of the period runs on',
    inputs: { due_on: '2014-03-01', suspensions: [{ from: '2016-01-01', to: '2016-02-01' }] },
    result: { expires_on: '2016-04-01' },
    basis: [twoYears, principles('第一百三十九条', '诉讼时效期间继续计算')],
    without: [general, suspension],
  },
  {
    on: 'an obstacle that lasted into 2017-10: the period had not ended and became three years',
    inputs: { due_on: '2015-09-01', suspensions: [{ from: '2017-08-01', to: '2017-11-30' }] },
    result: { expires_on: '2018-09-01' },
    basis: [rules('第一百八十八条', '诉讼时效期间为三年')],
    without: [twoYears, general],
  },
  {
    on: 'over before 2017-10: two years, by the law of that time',
    inputs: { due_on: '2014-12-31' },
    result: { expires_on: '2016-12-31', last_day: '2017-01-02' },
    basis: [twoYears, temporal('第一条', '适用当时的法律、司法解释的规定')],
    without: [general, holiday],
  },
  {
    on: 'over before the Civil Code: by the General Rules',
    inputs: { due_on: '2017-10-01' },
    result: { expires_on: '2020-10-01', last_day: '2020-10-01' },
    basis: [rules('第一百八十八条', '诉讼时效期间为三年')],
    without: [general],
  },
  {
    on: 'demands over more than twenty years',
    inputs: {
      due_on: '2018-03-01',
      interruptions: ['2020-12-01', '2023-11-01', '2026-10-01', '2029-09-01'].concat([
        ...['2032-08-01', '2035-07-01', '2037-06-01'],
      ]),
    },
    result: { expires_on: '2040-06-01' },
    alternatives: [{ expires_on: '2038-03-01' }],
    basis: [code('第一百八十八条', '自权利受到损害之日起超过二十年的，人民法院不予保护')],
  },
  {
    on: 'arbitration of a labor dispute over the Dragon Boat Festival',
    inputs: { due_on: '2024-05-31', labor_arbitration: true, holidays: ['2025-06-02'] },
    result: { expires_on: '2025-05-31', last_day: '2025-06-03' },
    basis: [arbitrationYear],
    without: [general],
  },
  {
    // 273 days were left on 2024-06-01.
    on: 'arbitration with an obstacle early in the year: the rest runs on',
    inputs: {
      ...{ due_on: '2024-03-01', labor_arbitration: true },
      suspensions: [{ from: '2024-06-01', to: '2024-07-01' }],
    },
    result: { expires_on: '2025-03-31' },
    basis: [arbitration('第二十七条', '从中止时效的原因消除之日起，仲裁时效期间继续计算')],
    without: [suspension],
  },
].map((each) => ({ calculator: 'limitation', ...each }))

const appeal = procedure('第一百七十一条', '判决书送达之日起十五日内')
const afterHoliday = procedure('第八十五条', '以法定休假日后的第一日为期间届满的日期')
const unclear = of('最高人民法院关于适用《中华人民共和国担保法》若干问题的解释')(
  '第三十二条',
  '视为约定不明，保证期间为主债务履行期届满之日起2年',
)
const guarantee = code('第六百九十二条', '保证期间为主债务履行期限届满之日起六个月')
const deadlines: LawExample[] = [
  {
    on: 'an appeal whose fifteenth day falls into the Spring Festival',
    inputs: { kind: 'appeal_judgment', from: '2025-01-20', ...spring2025 },
    result: { last_day: '2025-02-05' },
    basis: [appeal, afterHoliday],
  },
  {
    on: 'an appeal of a ruling that ends on a Sunday worked in exchange',
    inputs: { kind: 'appeal_ruling', from: '2024-02-08', ...spring2024 },
    result: { last_day: '2024-02-18' },
    basis: [procedure('第一百七十一条', '裁定书送达之日起十日内')],
  },
  {
    on: 'an appeal from abroad: thirty days, rolled over the Spring Festival',
    inputs: { kind: 'appeal_ruling', from: '2024-01-11', abroad: true, ...spring2024 },
    result: { last_day: '2024-02-18' },
    basis: [procedure('第二百八十六条', '判决书、裁定书送达之日起三十日内提起上诉')],
    without: [appeal],
  },
  {
    on: 'enforcement from a leap day: the end of February, a Saturday',
    inputs: { kind: 'enforcement', from: '2024-02-29' },
    result: { last_day: '2026-03-02' },
    basis: [procedure('第二百五十条', '申请执行的期间为二年')],
  },
  {
    on: 'a suit after an award over a leap day',
    inputs: { kind: 'sue_after_award', from: '2024-02-20' },
    result: { last_day: '2024-03-06' },
    basis: [arbitration('第五十条', '十五日内向人民法院提起诉讼')],
  },
  {
    on: 'a guarantee from a leap day',
    inputs: { kind: 'guarantee', from: '2024-02-29' },
    result: { last_day: '2024-08-29' },
    alternatives: [],
    basis: [guarantee, holiday],
  },
  {
    on: 'a guarantee of a debt due before the Civil Code: six months, two years if unclear',
    inputs: { kind: 'guarantee', from: '2020-08-31' },
    result: { last_day: '2021-03-01' },
    alternatives: [{ last_day: '2022-08-31' }],
    basis: [
      of('中华人民共和国担保法')('第二十六条', '自主债务履行期届满之日起六个月内'),
      temporal('第二十七条', '当事人主张保证期间为主债务履行期限届满之日起二年的'),
      unclear,
    ],
    without: [guarantee],
  },
].map((each) => ({ calculator: 'deadline', ...each }))

checkExamples([...limitations, ...deadlines])
