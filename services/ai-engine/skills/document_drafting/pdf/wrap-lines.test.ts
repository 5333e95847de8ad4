import { expect, test } from 'vitest'
import { type Span, wrapLines } from './wrap-lines.ts'

/** One point for a Latin character, two for any other. */
const measure = (text: string) => [...text].reduce((sum, sign) => sum + (sign < '\x7f' ? 1 : 2), 0)
const wrap = (text: string, width: number, indent = 0) =>
  wrapLines([{ text }], width, measure, indent).map((line) =>
    line.map((span) => span.text).join(''),
  )

test('Chinese text breaks between any two characters, a word stays whole', () => {
  expect(wrap('甲方向乙方付款', 8)).toEqual(['甲方向乙', '方付款'])
  expect(wrap('pay the price', 9)).toEqual(['pay the', 'price'])
  expect(wrap('付款100,000元', 8)).toEqual(['付款', '100,000', '元'])
})

test('a line neither starts with a closing mark nor ends with an opening one', () => {
  expect(wrap('甲方付款。乙方', 8)).toEqual(['甲方付', '款。乙方'])
  expect(wrap('依据《民法典》', 6)).toEqual(['依据', '《民法', '典》'])
})

test('breaks and an indent are kept, spaces at the end of a line are not', () => {
  expect(wrap('一\n二', 8)).toEqual(['一', '二'])
  expect(wrap('一二三四', 6, 4)).toEqual(['一', '二三四'])
  expect(wrap('', 6)).toEqual([''])
})

test('a word that is wider than a line is split', () => {
  expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
})

test('spans keep their format over a break', () => {
  const spans: Span[] = [{ text: '甲乙' }, { text: '丙丁', change: 'insert' }]
  expect(wrapLines(spans, 6, measure)).toEqual([
    [{ text: '甲乙' }, { text: '丙', change: 'insert' }],
    [{ text: '丁', change: 'insert' }],
  ])
})
