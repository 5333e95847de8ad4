import { expect, test } from 'vitest'
import { matchesPattern } from './pattern.ts'

test.each([
  ['https://example.org/laws/1', 'https://example.org/laws/*', true],
  ['https://example.org/laws/1', '/laws/*', true],
  ['https://example.org/laws/1', '/law', false],
  ['https://example.org/a?page=2', '*page=*', true],
  ['https://example.org/aXbXc', '/a*b*c', true],
  ['https://example.org/ab', '/ab*b', false],
  [`https://example.org/${'a'.repeat(2_000)}`, `/${'*a'.repeat(240)}*b`, false],
])('%.80s matches %.80s: %s', (url, pattern, expected) => {
  expect(matchesPattern(new URL(url), pattern)).toBe(expected)
})
