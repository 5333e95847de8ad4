import { expect, test } from 'vitest'
import { storableJson, storableText, toStorable } from './storable.ts'

const half = '\ud83d'

test.each([
  ['a\0b', 'ab'],
  [`a${half}`, 'a\ufffd'],
  ['😀 and \\u0000', '😀 and \\u0000'],
])('of the text %j PostgreSQL gets %j', (text, stored) => {
  expect(storableText(text)).toBe(stored)
  const value = { [text]: [text, { text }], other: null, number: 1 }
  const expected = { [stored]: [stored, { text: stored }], other: null, number: 1 }
  expect(toStorable(value)).toEqual(expected)
  expect(JSON.parse(storableJson(value))).toEqual(expected)
})

test('a storable value is returned as is', () => {
  const value = { list: [1, 'two', { three: null }] }
  expect(toStorable(value)).toBe(value)
  expect(storableJson(undefined)).toBe('null')
})
