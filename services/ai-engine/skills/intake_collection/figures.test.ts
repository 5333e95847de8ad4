import { expect, test } from 'vitest'
import { type Figure, readFigures } from './figures.ts'

const read = (text: string) =>
  Object.fromEntries(
    readFigures(text, '2026-06-15').map(({ key, value, certain }) => [key, [value, certain]]),
  ) as Partial<Record<Figure['key'], [unknown, boolean]>>

test.each([
  [
    '我在2024年3月5日借给张三10万元，他不还',
    { amount: [100_000, true], event_date: ['2024-03-05', true] },
  ],
  ['他每月给我500元利息', {}],
  ['借给他10万元，每月给我500元利息', { amount: [100_000, true] }],
  ['我月薪8000元，被辞退了', { monthly_wage: [8_000, true] }],
  ['公司拖欠我三个月工资24000元', { amount: [24_000, true] }],
  ['租金每月3000元，押金6000元不退', { amount: [6_000, true] }],
  ['借了他5万元，已经还了2万元', { amount: [50_000, true] }],
  ['先借给他3万元，后来又借给他5万元', { amount: [30_000, false] }],
  ['大概12万元的样子', { amount: [120_000, false] }],
  ['2024年1月1日认识，2024年3月5日借给他，2025年1月1日到期', { event_date: ['2024-03-05', false] }],
  ['约定2024年12月31日之前归还', {}],
  ['2024年5月6日', { event_date: ['2024-05-06', false] }],
  [
    'He borrowed 50,000 yuan on March 5, 2024',
    { amount: [50_000, true], event_date: ['2024-03-05', true] },
  ],
])('the figures of “%s” are read with their certainty', (text, figures) => {
  expect(read(text)).toEqual(figures)
})

test('every figure carries the clause that it was found in', () => {
  const text = '我们是同学，2024年3月5日我借给他10万元，后来他每月给我500元利息。'
  expect(readFigures(text, '2026-06-15').map(({ quote }) => quote)).toEqual([
    '2024年3月5日我借给他10万元',
    '2024年3月5日我借给他10万元',
  ])
})
