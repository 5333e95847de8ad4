import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localPath } from './local-path.ts'

test('a local path is kept with its query and fragment', () => {
  expect(localPath('/matters/1?tab=todos#2')).toBe('/matters/1?tab=todos#2')
})

test.each([
  undefined,
  '',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  '/a\r\nSet-Cookie: x=1',
])('%j leads to the start page', (returnTo) => {
  expect(localPath(returnTo)).toBe('/')
})

test('whatever is given, a browser stays on the gateway', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '\t',
    '\n',
    '@',
    ':',
    'evil.example',
    '%2f',
    '?',
    '#',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 8 }), (pieces) => {
      const location = localPath(pieces.join(''))
      expect(new URL(location, 'https://suite.example/auth/callback').origin).toBe(
        'https://suite.example',
      )
    }),
    { numRuns: 5_000 },
  )
})
