import { expect, test } from 'vitest'
import { diffLines } from './diff-lines.ts'

const kinds = (left: string, right: string) => diffLines(left, right).map(({ kind }) => kind)

test('equal texts have equal lines only', () => {
  expect(kinds('a\nb', 'a\nb')).toEqual(['same', 'same'])
  expect(kinds('', '')).toEqual([])
})

test('an inserted and a removed line leave the other lines aligned', () => {
  expect(diffLines('a\nb\nc', 'a\nc\nd')).toEqual([
    { kind: 'same', left: 'a', right: 'a' },
    { kind: 'removed', left: 'b', right: '' },
    { kind: 'same', left: 'c', right: 'c' },
    { kind: 'added', left: '', right: 'd' },
  ])
})

test('a text beside none is removed or added as a whole', () => {
  expect(kinds('a\nb', '')).toEqual(['removed', 'removed'])
  expect(kinds('', 'a')).toEqual(['added'])
})

test('texts of many lines are compared pairwise', () => {
  const long = Array.from({ length: 1_500 }, (_, n) => `line ${n}`).join('\n')
  const lines = diffLines(long, long.replace('line 7\n', 'line seven\n'))
  expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'changed', left: 'line 7', right: 'line seven' },
  ])
})
