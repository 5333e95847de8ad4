import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTermIds, TermIds } from './term-ids.ts'
import { extractTerms, termId } from './terms.ts'

function extractTermIds(text: string): Int32Array {
  const ids = new TermIds()
  expect(addTermIds(text, ids)).toBe(ids.length)
  return ids.toArray()
}

const piece = fc.oneof(
  fc.constantFrom(
    '借款人应当',
    '第六百七十五条之一',
    '《民法典》',
    '（2021）京01民终1234号',
    'Art. 12',
  ),
  fc.constantFrom(
    'Lender’s',
    '1,000.50',
    '𠮷野家',
    '東京タワー',
    '々',
    '〇',
    '\n',
    ' ',
    '，',
    '한국',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)

test('term ids of a text are the ids of its terms, also when its runs are cached', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const expected = extractTerms(text).map(termId).sort()
      expect([...extractTermIds(text)].sort()).toEqual(expected)
      expect([...extractTermIds(text)].sort()).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})
